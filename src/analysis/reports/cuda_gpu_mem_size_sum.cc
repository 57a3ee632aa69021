#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "analysis/report_parts/memory_operations.h"
#include "analysis/report_parts/summary_table.h"
#include "analysis/text/format.h"

namespace warpsight::reports::cuda_gpu_mem_size_sum {
namespace {

void Compute(const ReportInput& input, RowSink& sink) {
  const GpuActivitiesTable& gpu = input.profile.trace.tables.gpu;
  ValueGroups groups;
  int64_t unknown = 0;
  for (size_t g = 0; g < gpu.start.size(); ++g) {
    if (gpu.kind[g] == GpuKind::kKernel) continue;
    if (gpu.bytes[g] == kMissing) {
      ++unknown;
    } else {
      groups.Add(MemoryOperationOf(gpu, g), gpu.bytes[g], g);
    }
  }
  const auto name_of = [](size_t operation) { return NameOfMemoryOperation(operation).nsys; };
  const auto summary =
      groups.Summarize([&](size_t a, size_t b) { return name_of(a) < name_of(b); });
  sink.Note(summary.empty() ? "The trace contains no copies or memsets with a size."
                            : kWholeTraceNote);
  if (unknown > 0) {
    sink.Note(fmt::format("{} operations are left out: their size was not recorded.",
                          FormatCount(unknown)));
  }
  std::vector<Cell> cells;
  for (const auto& [operation, statistics, largest] : summary) {
    cells.assign({static_cast<double>(statistics.total) / 1e6, statistics.count});
    AppendSpreadInMillions(statistics, cells);
    cells.emplace_back(name_of(operation));
    sink.Row(cells);
    sink.Link(RowLink::To(MakeId<GpuId>(largest)));
  }
}

}  // namespace

Report Define() {
  return {"cuda_gpu_mem_size_sum",
          "CUDA GPU MemOps Summary (by Size)",
          "bytes of copies and memsets of the whole trace by operation (Nsight Systems' report)",
          {{"Total (MB)", ColumnType::kReal, "sum of the sizes, in units of 10^6 bytes; measured"},
           {"Count", ColumnType::kInteger, "operations in the whole trace; measured"},
           {"Avg (MB)", ColumnType::kReal, "mean size; measured"},
           {"Med (MB)", ColumnType::kReal, "median size, mean of the middle two; measured"},
           {"Min (MB)", ColumnType::kReal, "smallest size; measured"},
           {"Max (MB)", ColumnType::kReal, "largest size; measured"},
           {"StdDev (MB)", ColumnType::kReal,
            "standard deviation of the sample of sizes (n - 1), 0 for a single one; measured"},
           {"Operation", ColumnType::kText, "direction, or memset"}},
          Compute};
}

}  // namespace warpsight::reports::cuda_gpu_mem_size_sum
