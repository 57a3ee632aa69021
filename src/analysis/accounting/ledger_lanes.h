#pragma once

#include <cstdint>
#include <vector>

#include "analysis/accounting/range_summary.h"
#include "base/intervals.h"
#include "model/profile.h"

namespace warpsight {

// The rows of the ledger for one iteration and GPU, or for an iteration and its process if no GPU
// worked on it.
struct LedgerLane {
  IterationId iteration;
  DeviceId device = kNone<DeviceId>;
  Interval window;
  EntryTimes times{};   // the entries of the GPU and those of its process
  int64_t kernels = 0;  // those that the iteration launched on this GPU

  DurationNs Of(LedgerEntry entry) const { return times[static_cast<size_t>(entry)]; }
  DurationNs Length() const { return window.end - window.start; }
  // The union of kernels in the window, and that of kernels, copies and memsets.
  DurationNs KernelBusy() const;
  DurationNs Busy() const { return KernelBusy() + Of(LedgerEntry::kCopies); }
};

// In the order of iterations and GPUs: the rows of report `steps`. A GPU that did nothing in the
// analyzed iterations has rows only for other iterations in which it worked.
std::vector<LedgerLane> ReadLedgerLanes(ProfileView profile, const RangeSummary& range);

}  // namespace warpsight
