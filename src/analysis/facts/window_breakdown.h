#pragma once

#include <span>
#include <vector>

#include "analysis/facts/breakdown.h"
#include "model/profile.h"

namespace warpsight {

// Where the time of all GPUs went, for any stretch of a trace. Prepared once, in time linear in the
// events; an answer costs as much as there is in its windows. Holds no reference to the profile.
class WindowBreakdown {
 public:
  explicit WindowBreakdown(ProfileView profile);

  // For one window per source; empty windows count nothing. `profile` is that of the constructor.
  GpuTime Within(ProfileView profile, std::span<const Interval> windows) const;

  size_t MemoryBytes() const;

 private:
  // A GPU that did anything; or, where none did, the CPU side of a source.
  struct Part {
    SourceId source;
    DeviceId device;  // kNone for a CPU side
    Breakdown breakdown;
    IntervalSet communication;
  };
  bool any_gpu_ = false;
  std::vector<Part> parts_;
};

}  // namespace warpsight
