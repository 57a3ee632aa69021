#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/intervals.h"
#include "model/profile.h"

namespace warpsight {

// The activity of the threads that launch GPU work, by priority if several do different things at
// once; the host entries of the ledger. On one thread the innermost range counts.
enum class HostActivity : uint8_t {
  kDataLoading,
  kRecording,   // the profiler's own work
  kIo,          // file access
  kLaunches,    // CUDA calls that start kernels and graphs
  kCopies,      // CUDA calls that start copies and memsets
  kAllocation,  // CUDA calls that allocate and free
  kOtherCalls,  // CUDA calls of other kinds
  kOps,         // framework ops and Python
  kWaiting,     // waits for the GPU, mostly in CUDA calls
};
inline constexpr size_t kHostActivityCount = 9;

// By HostActivity; the sets may overlap.
using HostWork = std::array<IntervalSet, kHostActivityCount>;

// One entry per source.
std::vector<HostWork> CollectHostWork(const Trace& trace, const FactTables& facts);

// The threads that launched GPU work; for a source that launched none, all threads with ops.
std::vector<bool> LaunchingThreads(const Trace& trace, const FactTables& facts);

}  // namespace warpsight
