#include "analysis/report_parts/summary_table.h"

namespace warpsight::reports::cuda_gpu_kern_sum {
namespace {

void Compute(const ReportInput& input, RowSink& sink) {
  const Trace& trace = input.profile.trace;
  const GpuActivitiesTable& gpu = trace.tables.gpu;
  ValueGroups groups;
  for (size_t g = 0; g < gpu.start.size(); ++g) {
    if (gpu.kind[g] == GpuKind::kKernel) groups.Add(Index(gpu.name[g]), gpu.duration[g], g);
  }
  WriteSummaryByName(trace, groups, PlaceOfRow<GpuId>, "The trace contains no kernels.", sink);
}

}  // namespace

Report Define() {
  return {"cuda_gpu_kern_sum", "CUDA GPU Kernel Summary",
          "kernels of the whole trace by name (Nsight Systems' report)",
          SummaryColumns("Instances", {{"Name", ColumnType::kText, "kernel name as recorded"}}),
          Compute};
}

}  // namespace warpsight::reports::cuda_gpu_kern_sum
