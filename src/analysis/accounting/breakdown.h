#pragma once

#include <array>

#include "analysis/accounting/gpu_work.h"
#include "analysis/accounting/host_work.h"

namespace warpsight {

// Sets of times in order of priority: every moment is assigned to the first set that contains it,
// so the parts of any window are disjoint. Used for GPU work (by Resource) and for the activity of
// the launching threads of a process (by HostActivity).
template <size_t kCount>
class OrderedParts {
 public:
  explicit OrderedParts(const std::array<const IntervalSet*, kCount>& sets) {
    IntervalSet taken;
    for (size_t i = 0; i < kCount; ++i) {
      const IntervalSet part = sets[i]->Subtract(taken);
      parts_[i] = part;  // a copy takes no more memory than it needs
      taken = taken.Union(*sets[i]);
    }
  }

  std::array<DurationNs, kCount> Within(Interval window) const {
    std::array<DurationNs, kCount> result{};
    for (size_t i = 0; i < kCount; ++i) result[i] = parts_[i].LengthWithin(window);
    return result;
  }

  size_t MemoryBytes() const {
    size_t bytes = 0;
    for (const IntervalSet& part : parts_) bytes += part.intervals().capacity() * sizeof(Interval);
    return bytes;
  }

 private:
  std::array<IntervalSet, kCount> parts_;
};

// By Resource.
class GpuBreakdown : public OrderedParts<kResourceCount> {
 public:
  explicit GpuBreakdown(const GpuWork& work)
      : OrderedParts({&work.tensor_cores, &work.other_kernels, &work.communication, &work.memory}) {
  }
};

// By HostActivity.
class HostBreakdown : public OrderedParts<kHostActivityCount> {
 public:
  explicit HostBreakdown(const HostWork& work) : OrderedParts(Sets(work)) {}

 private:
  static std::array<const IntervalSet*, kHostActivityCount> Sets(const HostWork& work) {
    std::array<const IntervalSet*, kHostActivityCount> sets{};
    for (size_t i = 0; i < sets.size(); ++i) sets[i] = &work[i];
    return sets;
  }
};

}  // namespace warpsight
