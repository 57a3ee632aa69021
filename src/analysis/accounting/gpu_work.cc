#include "analysis/accounting/gpu_work.h"

namespace warpsight {
namespace {

Interval TimesOf(const auto& table, size_t row) {
  return {table.start[row], table.start[row] + table.duration[row]};
}

IntervalSet& SetOf(Resource resource, GpuWork& work) {
  switch (resource) {
    case Resource::kTensorCores:
      return work.tensor_cores;
    case Resource::kOtherKernels:
      return work.other_kernels;
    case Resource::kCommunication:
      return work.communication;
    case Resource::kMemory:
      break;
  }
  return work.memory;
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
  std::vector<GpuWork> work(RowCount(trace.tables.devices));
  for (size_t g = 0; g < gpu.start.size(); ++g) {
    GpuWork& device = work[Index(trace.DeviceOf(gpu.stream[g]))];
    SetOf(classes.Of(g), device).Append(TimesOf(gpu, g));
  }
  return work;
}

}  // namespace warpsight
