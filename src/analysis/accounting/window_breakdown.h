#pragma once

#include <span>
#include <vector>

#include "analysis/accounting/breakdown.h"
#include "analysis/accounting/range_summary.h"
#include "model/profile.h"

namespace warpsight {

// The time breakdown of all GPUs and processes for any interval of a trace. Constructed in time
// linear in the number of events; a query takes time proportional to the contents of its windows.
// Does not keep a reference to the profile.
class WindowBreakdown {
 public:
  // A GPU that did any work.
  struct Gpu {
    SourceId source;
    DeviceId device;
    GpuBreakdown breakdown;
    IntervalSet communication, copies;
    IntervalSet unrecorded;  // see model/clean_stretches.h
  };

  explicit WindowBreakdown(ProfileView profile);

  // The breakdown within one window per source; empty windows contribute nothing. `profile` must be
  // the one passed to the constructor.
  GpuTime Within(ProfileView profile, std::span<const Interval> windows) const;

  const std::vector<Gpu>& gpus() const { return gpus_; }
  // The entries for GPU work in a window, including hidden ones. Idle causes are in gaps.
  static EntryTimes BusyTimes(const Gpu& gpu, Interval window);
  EntryTimes HostTimes(size_t source, Interval window) const;

  size_t MemoryBytes() const;

 private:
  std::vector<Gpu> gpus_;
  std::vector<HostBreakdown> hosts_;  // by source
};

}  // namespace warpsight
