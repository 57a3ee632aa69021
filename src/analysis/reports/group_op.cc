#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/reporting/op_columns.h"
#include "analysis/reporting/op_notes.h"
#include "analysis/reporting/render_columns.h"
#include "analysis/reporting/report_cache.h"
#include "model/hash_map.h"

namespace warpsight::reports::group_op {

Report Define();

namespace {

struct Group {
  std::string_view name;
  RowLink place;  // of the first op
  int64_t eligible = 0;
  int64_t using_tensor_cores = 0;
  OpTimes times;
  OpAverages averages;  // of the group: each of its ops once

  void Add(const Op& op) {
    eligible += op.tensor_core_eligible ? 1 : 0;
    using_tensor_cores += op.uses_tensor_cores ? 1 : 0;
    times.Merge(op.times);
    averages.Add(op.times);
  }
};

// Every prefix of an op's name that ends in '/' is a group; "/" stands for all ops.
std::vector<Group> GroupsOf(const OpTable& table) {
  std::vector<Group> groups = {{"/", {}, 0, 0, {}, {}}};
  if (!table.ops().empty()) groups[0].place = table.ops().front().Place();
  HashMap<std::string_view, size_t> rows;
  for (const Op& op : table.ops()) {
    groups[0].Add(op);
    if (op.path.empty()) continue;
    // A slash in the op's own name makes no group: the path's length bounds the prefixes.
    const std::string_view path = std::string_view(op.name).substr(0, op.path.size() + 1);
    for (size_t slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1)) {
      if (slash == 0) continue;
      const std::string_view name = path.substr(0, slash + 1);
      const auto [at, is_new] = rows.try_emplace(name, groups.size());
      if (is_new) groups.push_back({name, op.Place(), 0, 0, {}, {}});
      groups[at->second].Add(op);
    }
  }
  std::sort(groups.begin() + 1, groups.end(),
            [](const Group& a, const Group& b) { return a.name < b.name; });
  return groups;
}

void Compute(const ReportInput& input, RowSink& sink) {
  const auto ops = OpTableOf(input);
  const OpTable& table = *ops;
  NoteAboutOps(input, table, sink);
  if (table.ops().empty()) return;
  std::vector<Cell> cells;
  for (const Group& group : GroupsOf(table)) {
    cells.assign(
        {Cell(group.name), group.times.cpu.count, group.eligible, group.using_tensor_cores});
    AppendTimes(group.times, group.averages, cells);
    sink.Row(cells);
    sink.Link(group.place);
  }
}

std::string Text(const ReportInput& input, const TextStyle& style) {
  return RenderColumns(Define(),
                       {"Name", "Num Calls Aggregated", "Num Ops Using TC", "Total GPU Time (ns)",
                        "Total CPU Time (ns)"},
                       input, style);
}

}  // namespace

Report Define() {
  return {"group_op",
          "Groups of ops",
          "ops added up along module paths, \"/\" for all; averages are those of its ops added up "
          "(DLProf's group op report)",
          WithTimeColumns({{"Name", ColumnType::kText, "prefix of op names, ending in '/'"},
                           {"Num Calls Aggregated", ColumnType::kInteger,
                            "calls of the ops in the group; measured"},
                           {"Num TC Eligible Ops", ColumnType::kInteger,
                            "ops whose arithmetic Tensor Cores can do; derived"},
                           {"Num Ops Using TC", ColumnType::kInteger,
                            "ops with a kernel that uses Tensor Cores; derived"}}),
          Compute,
          Text};
}

}  // namespace warpsight::reports::group_op
