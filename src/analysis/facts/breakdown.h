#pragma once

#include <array>

#include "analysis/facts/gpu_work.h"
#include "analysis/facts/range_summary.h"

namespace warpsight {

// Splits windows of one GPU by what went on, each moment given to the first Resource that applies.
// The parts are disjoint and cover everything, so any window's parts sum to its length exactly.
class Breakdown {
 public:
  Breakdown(const GpuWork& gpu, const HostWork& host);

  std::array<DurationNs, kResourceCount> Within(Interval window) const;

  size_t MemoryBytes() const;

 private:
  // The parts in order; the last resource is what remains.
  std::array<IntervalSet, kResourceCount - 1> parts_;
};

}  // namespace warpsight
