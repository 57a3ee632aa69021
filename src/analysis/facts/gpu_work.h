#pragma once

#include <vector>

#include "base/intervals.h"
#include "model/profile.h"

namespace warpsight {

// When a GPU did what, and what the CPU side of its process did meanwhile, as sets of times.
struct GpuWork {
  IntervalSet tensor_cores;   // kernels using Tensor Cores
  IntervalSet other_kernels;  // compute kernels that do not, or of unknown kind
  IntervalSet communication;  // collectives
  IntervalSet memory;         // copies and memsets

  IntervalSet Compute() const { return tensor_cores.Union(other_kernels); }
  IntervalSet Kernels() const { return Compute().Union(communication); }
  IntervalSet All() const { return Kernels().Union(memory); }
};

struct HostWork {
  IntervalSet data_loading;
  IntervalSet cpu;  // framework ops and API calls of threads that launch GPU work
};

// By device.
std::vector<GpuWork> CollectGpuWork(const Trace& trace, const FactTables& facts);
// By source.
std::vector<HostWork> CollectHostWork(const Trace& trace, const FactTables& facts);

// Threads that started GPU work; all threads with ops of a source that started none.
std::vector<bool> LaunchingThreads(const Trace& trace, const FactTables& facts);

}  // namespace warpsight
