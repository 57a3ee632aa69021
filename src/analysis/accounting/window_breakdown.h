#pragma once

#include <span>
#include <vector>

#include "analysis/accounting/breakdown.h"
#include "analysis/accounting/range_summary.h"
#include "model/profile.h"

namespace warpsight {

// The time breakdown of all GPUs and processes, for any interval of a trace. Prepared once, in time
// linear in the events; a query takes time proportional to the contents of its windows. Holds no
// reference to the profile.
class WindowBreakdown {
 public:
  // A GPU that did anything.
  struct Gpu {
    SourceId source;
    DeviceId device;
    GpuBreakdown breakdown;
    IntervalSet communication, copies;
  };

  explicit WindowBreakdown(ProfileView profile);

  // For one window per source; empty windows count nothing. `profile` is that of the constructor.
  GpuTime Within(ProfileView profile, std::span<const Interval> windows) const;

  const std::vector<Gpu>& gpus() const { return gpus_; }
  // What a GPU ran in a window, and what was hidden; idle causes stand in gaps.
  static EntryTimes BusyTimes(const Gpu& gpu, Interval window);
  EntryTimes HostTimes(size_t source, Interval window) const;

  size_t MemoryBytes() const;

 private:
  std::vector<Gpu> gpus_;
  std::vector<HostBreakdown> hosts_;  // by source
};

}  // namespace warpsight
