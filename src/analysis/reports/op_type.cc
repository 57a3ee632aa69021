#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/aggregation/report_cache.h"
#include "analysis/report_parts/op_columns.h"
#include "analysis/report_parts/op_notes.h"
#include "analysis/reporting/render_columns.h"
#include "model/hash_map.h"

namespace warpsight::reports::op_type {

Report Define();

namespace {

struct TypeRow {
  std::string_view type;
  RowLink place;  // of the first op
  int64_t ops = 0;
  OpTimes times;
};

// In order of appearance.
std::vector<TypeRow> TypesOf(const OpTable& table) {
  std::vector<TypeRow> types;
  HashMap<std::string_view, size_t> rows;
  for (const Op& op : table.ops()) {
    const auto [at, is_new] = rows.try_emplace(op.type, types.size());
    if (is_new) types.push_back({op.type, op.Place(), 0, {}});
    ++types[at->second].ops;
    types[at->second].times.Merge(op.times);
  }
  return types;
}

void Write(const ReportInput& input, const OpTable& table, const std::vector<TypeRow>& types,
           RowSink& sink) {
  NoteAboutOps(input, table, sink);
  std::vector<Cell> cells;
  for (const TypeRow& type : types) {
    cells.assign({Cell(type.type), type.ops, type.times.cpu.count});
    AppendTimes(type.times, cells);
    sink.Row(cells);
    sink.Link(type.place);
  }
}

void Compute(const ReportInput& input, RowSink& sink) {
  const auto ops = OpTableOf(input);
  std::vector<TypeRow> types = TypesOf(*ops);
  std::sort(types.begin(), types.end(),
            [](const TypeRow& a, const TypeRow& b) { return a.type < b.type; });
  Write(input, *ops, types, sink);
}

void ComputeByTime(const ReportInput& input, RowSink& sink) {
  const auto ops = OpTableOf(input);
  std::vector<TypeRow> types = TypesOf(*ops);
  std::stable_sort(types.begin(), types.end(), [](const TypeRow& a, const TypeRow& b) {
    return std::pair(a.times.gpu.total, a.times.cpu.total) >
           std::pair(b.times.gpu.total, b.times.cpu.total);
  });
  Write(input, *ops, types, sink);
}

std::string Text(const ReportInput& input, const TextStyle& style) {
  Report printed = Define();
  printed.compute = ComputeByTime;
  return RenderColumns(printed,
                       {"Op Type", "# Calls", "Total GPU Time (ns)", "Avg. GPU Time (ns)",
                        "Total CPU Time (ns)", "Total CPU Overhead (ns)"},
                       input, style);
}

}  // namespace

Report Define() {
  return {"op_type",
          "Types of ops",
          "ops summed by type (DLProf's op type report)",
          WithTimeColumns({kOpTypeColumn,
                           {"# Ops", ColumnType::kInteger, "ops of this type; derived"},
                           {"# Calls", ColumnType::kInteger, "calls of these ops; measured"}}),
          Compute,
          Text};
}

}  // namespace warpsight::reports::op_type
