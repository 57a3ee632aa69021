#include <algorithm>
#include <array>
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

namespace warpsight::reports::group_op {

Report Define();

namespace {

// The times of a group in one iteration.
struct Sums {
  DurationNs cpu = 0, gpu = 0, cpu_overhead = 0, gpu_idle = 0;
};

// The parts of a group: DLProf's directions, and everything without a direction. The group's other
// figures are the sums of its parts.
enum Part : size_t { kForwardPart, kBackwardPart, kOptimizerPart, kOtherPart, kParts };

Part PartOf(const Op& op) {
  if (!op.associated()) return kOtherPart;
  switch (op.direction) {
    case Direction::kForward:
      return kForwardPart;
    case Direction::kBackward:
      return kBackwardPart;
    case Direction::kOptimizer:
      return kOptimizerPart;
    case Direction::kDataLoading:
      break;
  }
  return kOtherPart;
}

struct Group {
  std::string_view name;
  RowLink place;  // of the first op
  int64_t calls = 0;
  int64_t eligible = 0;
  int64_t using_tensor_cores = 0;
  OpTimes times;  // statistics over its iterations
  std::array<DurationNs, kParts> gpu{}, cpu{};

  void Add(const Op& op) {
    calls += op.calls();
    eligible += op.tensor_core_eligible ? 1 : 0;
    using_tensor_cores += op.uses_tensor_cores ? 1 : 0;
    gpu[PartOf(op)] += op.times.gpu.total;
    cpu[PartOf(op)] += op.times.cpu.total;
  }
  void AddIteration(const Sums& sums) {
    times.cpu.Add(sums.cpu);
    times.gpu.Add(sums.gpu);
    times.cpu_overhead.Add(sums.cpu_overhead);
    times.gpu_idle.Add(sums.gpu_idle);
  }
};

// Every prefix of an op's name that ends in '/' is a group.
class Groups {
 public:
  explicit Groups(const OpTable& table) {
    std::vector<std::vector<uint32_t>> groups_of(table.ops().size());
    for (size_t row = 0; row < table.ops().size(); ++row) {
      const Op& op = table.ops()[row];
      Add(kAllOps, op, groups_of[row]);
      // A slash in the op's own name does not start a group, so the length of the path limits the
      // prefixes.
      const std::string_view path = std::string_view(op.name).substr(0, op.path.size() + 1);
      for (size_t slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1)) {
        Add(path.substr(0, slash + 1), op, groups_of[row]);
      }
    }
    HashMap<std::pair<uint32_t, IterationId>, Sums> iterations;
    for (const OpIteration& part : table.by_iteration()) {
      for (const uint32_t group : groups_of[part.op]) {
        Sums& sums = iterations[{group, part.iteration}];
        sums.cpu += part.cpu;
        sums.gpu += part.gpu;
        sums.cpu_overhead += part.cpu_overhead;
        sums.gpu_idle += part.gpu_idle;
      }
    }
    for (const auto& [key, sums] : iterations) groups_[key.first].AddIteration(sums);
    std::sort(groups_.begin(), groups_.end(),
              [](const Group& a, const Group& b) { return a.name < b.name; });
  }

  const std::vector<Group>& groups() const { return groups_; }

 private:
  static constexpr std::string_view kAllOps = "_CompleteModel_";

  void Add(std::string_view name, const Op& op, std::vector<uint32_t>& groups_of_op) {
    const auto [at, is_new] = rows_.try_emplace(name, static_cast<uint32_t>(groups_.size()));
    if (is_new) {
      groups_.emplace_back();
      groups_.back().name = name;
      groups_.back().place = op.Place();
    }
    groups_[at->second].Add(op);
    groups_of_op.push_back(at->second);
  }

  std::vector<Group> groups_;
  HashMap<std::string_view, uint32_t> rows_;
};

bool AnyNamedBackward(const OpTable& table) {
  return std::any_of(table.ops().begin(), table.ops().end(), [](const Op& op) {
    return op.direction == Direction::kBackward && !op.path.empty();
  });
}

void Compute(const ReportInput& input, RowSink& sink) {
  const auto ops = OpTableOf(input);
  const OpTable& table = *ops;
  NoteAboutOps(input, table, sink);
  if (AnyNamedBackward(table)) {
    sink.Note(
        "Backward ops count under the path of their forward op; the columns Fprop, Bprop, "
        "Optimizer and Other separate the parts of a group.");
  }
  std::vector<Cell> cells;
  const Groups groups(table);
  for (const Group& group : groups.groups()) {
    cells.assign({Cell(group.name), group.calls, group.eligible, group.using_tensor_cores});
    AppendTimes(group.times, cells);
    for (const auto& parts : {group.gpu, group.cpu}) {
      cells.insert(cells.end(), parts.begin(), parts.end());
    }
    sink.Row(cells);
    sink.Link(group.place);
  }
}

std::string Text(const ReportInput& input, const TextStyle& style) {
  const auto table = OpTableOf(input);
  const bool any_gpu = std::any_of(table->ops().begin(), table->ops().end(),
                                   [](const Op& op) { return op.times.gpu.total > 0; });
  if (any_gpu) {
    return RenderColumns(Define(),
                         {"Name", "Total GPU Time (ns)", "Fprop GPU Time (ns)",
                          "Bprop GPU Time (ns)", "Optimizer GPU Time (ns)"},
                         input, style);
  }
  return RenderColumns(Define(),
                       {"Name", "Total CPU Time (ns)", "Fprop CPU Time (ns)", "Bprop CPU Time (ns)",
                        "Optimizer CPU Time (ns)"},
                       input, style);
}

}  // namespace

Report Define() {
  constexpr auto kNs = ColumnType::kDurationNs;
  return {
      "group_op",
      "Groups of ops",
      "ops summed along module paths; averages, minima and maxima are per iteration (DLProf's "
      "group op report)",
      WithTimeColumns(
          {{"Name", ColumnType::kText,
            "prefix of op names, ending in '/'; _CompleteModel_ for all ops"},
           {"Num Calls Aggregated", ColumnType::kInteger,
            "calls of the ops in the group; measured"},
           {"Num TC Eligible Ops", ColumnType::kInteger, "ops that can use Tensor Cores; derived"},
           {"Num Ops Using TC", ColumnType::kInteger,
            "ops with a kernel that uses Tensor Cores; derived"}},
          {{"Fprop GPU Time (ns)", kNs, "of the total GPU time, that of forward ops"},
           {"Bprop GPU Time (ns)", kNs,
            "that of backward ops, which count under the path of their forward op"},
           {"Optimizer GPU Time (ns)", kNs, "that of ops of the optimizer"},
           {"Other GPU Time (ns)", kNs, "that of data loading and of work without an op"},
           {"Fprop CPU Time (ns)", kNs, "of the total CPU time, that of forward ops"},
           {"Bprop CPU Time (ns)", kNs, "that of backward ops"},
           {"Optimizer CPU Time (ns)", kNs, "that of ops of the optimizer"},
           {"Other CPU Time (ns)", kNs, "that of data loading and of work without an op"}},
          TimesOf::kIterations),
      Compute,
      Text};
}

}  // namespace warpsight::reports::group_op
