#include "analysis/facts/gpu_work.h"

#include <array>

#include "analysis/facts/range_names.h"

namespace warpsight {
namespace {

Interval TimesOf(const auto& table, size_t row) {
  return {table.start[row], table.start[row] + table.duration[row]};
}

}  // namespace

GpuClasses::GpuClasses(const Trace& trace, const FactTables& facts)
    : trace_(trace), facts_(facts), by_kernel_(facts.kernel_names.name.size()) {
  for (size_t k = 0; k < by_kernel_.size(); ++k) {
    const KernelKind& kind = facts.kernel_kinds[k];
    if (kind.family == KernelFamily::kCollective) {
      by_kernel_[k] = Resource::kCommunication;
    } else if (kind.tensor_cores == TensorCores::kYes) {
      by_kernel_[k] = Resource::kTensorCores;
    } else {
      by_kernel_[k] = Resource::kOtherKernels;
    }
  }
}

std::vector<GpuWork> CollectGpuWork(const Trace& trace, const FactTables& facts) {
  const GpuActivitiesTable& gpu = trace.tables.gpu;
  const GpuClasses classes(trace, facts);
  using Lists = std::array<std::vector<Interval>, kResourceCount>;
  std::vector<Lists> lists(RowCount(trace.tables.devices));
  for (size_t g = 0; g < gpu.start.size(); ++g) {
    Lists& device = lists[Index(trace.DeviceOf(gpu.stream[g]))];
    device[static_cast<size_t>(classes.Of(g))].push_back(TimesOf(gpu, g));
  }
  std::vector<GpuWork> work(lists.size());
  for (size_t d = 0; d < lists.size(); ++d) {
    const auto set = [&](Resource resource) {
      return IntervalSet::FromSorted(lists[d][static_cast<size_t>(resource)]);
    };
    work[d].tensor_cores = set(Resource::kTensorCores);
    work[d].other_kernels = set(Resource::kOtherKernels);
    work[d].communication = set(Resource::kCommunication);
    work[d].memory = set(Resource::kMemory);
  }
  return work;
}

}  // namespace warpsight
