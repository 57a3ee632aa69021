#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/aggregation/report_cache.h"
#include "analysis/report_parts/op_columns.h"
#include "analysis/report_parts/op_notes.h"
#include "analysis/reporting/render_columns.h"
#include "model/hash_map.h"

namespace warpsight::reports::op_iteration {

Report Define();

namespace {

struct Row {
  int64_t iteration = 0;
  uint32_t op = 0;  // row in OpTable::ops()
  GpuId first_work = kNone<GpuId>;
  int64_t kernels = 0;
  int64_t tensor_core_kernels = 0;
  int64_t copies = 0;
  DurationNs time = 0;
  DurationNs tensor_core_time = 0;
};

std::vector<Row> CollectRows(const ReportInput& input, const OpTable& table) {
  const FactTables& facts = input.profile.facts;
  const GpuActivitiesTable& gpu = input.profile.trace.tables.gpu;
  std::vector<Row> rows;
  HashMap<std::pair<int64_t, uint32_t>, size_t> row_of;
  for (size_t g = 0; g < gpu.start.size(); ++g) {
    const GpuId id = MakeId<GpuId>(g);
    const uint32_t op = table.RowOf(id);
    if (op == OpTable::kOutside) continue;
    const int64_t iteration = facts.iterations.number[Index(facts.gpu.iteration[g])];
    const auto [at, is_new] = row_of.try_emplace(std::pair(iteration, op), rows.size());
    if (is_new) {
      rows.emplace_back();
      rows.back().iteration = iteration;
      rows.back().op = op;
      rows.back().first_work = id;
    }
    Row& row = rows[at->second];
    row.time += table.AddedTime(id);
    if (gpu.kind[g] != GpuKind::kKernel) {
      ++row.copies;
      continue;
    }
    ++row.kernels;
    if (facts.TensorCoresOf(gpu.name[g]) != TensorCores::kYes) continue;
    ++row.tensor_core_kernels;
    row.tensor_core_time += gpu.duration[g];
  }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::tuple(a.iteration, -a.time, a.op) < std::tuple(b.iteration, -b.time, b.op);
  });
  return rows;
}

void Compute(const ReportInput& input, RowSink& sink) {
  const auto ops = OpTableOf(input);
  const OpTable& table = *ops;
  NoteAboutOps(input, table, sink);
  for (const Row& row : CollectRows(input, table)) {
    const Op& op = table.ops()[row.op];
    const Cell cells[] = {row.iteration,
                          Cell(op.id),
                          Cell(op.name),
                          DirectionOf(op),
                          Cell(op.type),
                          row.kernels,
                          row.tensor_core_kernels,
                          row.time,
                          row.tensor_core_time,
                          YesNo(row.tensor_core_kernels > 0),
                          row.copies};
    sink.Row(cells);
    const HostId call =
        CountedOp(input.profile.facts, input.profile.facts.gpu.op[Index(row.first_work)]);
    sink.Link(IsSet(call) ? RowLink::To(call) : RowLink::To(row.first_work));
  }
}

std::string Text(const ReportInput& input, const TextStyle& style) {
  return RenderColumns(
      Define(),
      {"Op Name", "Iteration", "Direction", "Kernels", "GPU Time (ns)", "TC GPU Time (ns)"}, input,
      style);
}

}  // namespace

Report Define() {
  return {
      "op_iteration",
      "Ops by iteration",
      "the ops of every analyzed step that started GPU work (DLProf's view)",
      {{"Iteration", ColumnType::kInteger, "iteration that started the work; derived"},
       kOpIdColumn,
       kOpNameColumn,
       kDirectionColumn,
       kOpTypeColumn,
       {"Kernels", ColumnType::kInteger, "kernels that it started in the iteration; derived"},
       {"TC Kernels", ColumnType::kInteger, "those that use Tensor Cores; from kernel names"},
       {"GPU Time (ns)", ColumnType::kDurationNs,
        "time with kernels, copies or memsets of a call on the GPU, summed over its calls in the "
        "iteration: the iterations sum to the op's total GPU time; measured"},
       {"TC GPU Time (ns)", ColumnType::kDurationNs,
        "its kernels that use Tensor Cores, plain sum; measured"},
       {"Uses TC", ColumnType::kYesNo,
        "whether any of these kernels uses Tensor Cores; from kernel names"},
       {"Copies and Memsets", ColumnType::kInteger, "that it started in the iteration; derived"}},
      Compute,
      Text};
}

}  // namespace warpsight::reports::op_iteration
