#pragma once

#include <cstdint>
#include <vector>

#include "base/intervals.h"
#include "model/profile.h"

namespace warpsight {

// The resource that GPU work uses, by priority if several overlap; the first entries of the ledger.
enum class Resource : uint8_t {
  kTensorCores,    // kernels using Tensor Cores
  kOtherKernels,   // other compute kernels
  kCommunication,  // collectives
  kMemory,         // copies and memsets
};
inline constexpr size_t kResourceCount = 4;

// The resource of each piece of GPU work: Tensor Cores, other kernels, communication or memory.
// Classifies each kernel name once; thread-safe.
class GpuClasses {
 public:
  GpuClasses(const Trace& trace, const FactTables& facts);

  Resource Of(size_t gpu) const {
    const GpuActivitiesTable& table = trace_.tables.gpu;
    if (table.kind[gpu] != GpuKind::kKernel) return Resource::kMemory;
    return by_kernel_[facts_.KernelRow(table.name[gpu])];
  }

 private:
  const Trace& trace_;
  const FactTables& facts_;
  std::vector<Resource> by_kernel_;  // by row of kernel_names
};

// The times in which a GPU did each kind of work.
struct GpuWork {
  IntervalSet tensor_cores;   // kernels using Tensor Cores
  IntervalSet other_kernels;  // compute kernels that do not use them, or of unknown kind
  IntervalSet communication;  // collectives
  IntervalSet memory;         // copies and memsets

  IntervalSet Compute() const { return tensor_cores.Union(other_kernels); }
  IntervalSet Kernels() const { return Compute().Union(communication); }
  IntervalSet All() const { return Kernels().Union(memory); }
  bool empty() const {
    return tensor_cores.empty() && other_kernels.empty() && communication.empty() && memory.empty();
  }
};

// One entry per device.
std::vector<GpuWork> CollectGpuWork(const Trace& trace, const FactTables& facts);

}  // namespace warpsight
