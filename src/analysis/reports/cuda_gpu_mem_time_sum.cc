#include <vector>

#include "analysis/report_parts/memory_operations.h"
#include "analysis/report_parts/summary_table.h"

namespace warpsight::reports::cuda_gpu_mem_time_sum {
namespace {

void Compute(const ReportInput& input, RowSink& sink) {
  const GpuActivitiesTable& gpu = input.profile.trace.tables.gpu;
  ValueGroups groups;
  for (size_t g = 0; g < gpu.start.size(); ++g) {
    if (gpu.kind[g] != GpuKind::kKernel) groups.Add(MemoryOperationOf(gpu, g), gpu.duration[g], g);
  }
  const auto name_of = [](size_t operation) { return NameOfMemoryOperation(operation).nsys; };
  const auto summary =
      groups.Summarize([&](size_t a, size_t b) { return name_of(a) < name_of(b); });
  sink.Note(summary.empty() ? "The trace contains no copies or memsets." : kWholeTraceNote);
  WriteSummary(summary, PlaceOfRow<GpuId>, sink, [&](size_t operation, std::vector<Cell>& cells) {
    cells.emplace_back(name_of(operation));
  });
}

}  // namespace

Report Define() {
  return {"cuda_gpu_mem_time_sum", "CUDA GPU MemOps Summary (by Time)",
          "time of copies and memsets of the whole trace by operation (Nsight Systems' report)",
          SummaryColumns("Count", {{"Operation", ColumnType::kText, "direction, or memset"}}),
          Compute};
}

}  // namespace warpsight::reports::cuda_gpu_mem_time_sum
