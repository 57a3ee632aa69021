#pragma once

#include <cstdint>
#include <vector>

#include "analysis/accounting/range_summary.h"
#include "base/intervals.h"
#include "model/profile.h"

namespace warpsight {

// The ledger's rows of one iteration and GPU, or of the process of an iteration that no GPU worked
// on.
struct LedgerLane {
  IterationId iteration;
  DeviceId device = kNone<DeviceId>;
  Interval window;
  EntryTimes times{};   // the GPU's entries, and those of the process
  int64_t kernels = 0;  // that the iteration launched on this GPU

  DurationNs Of(LedgerEntry entry) const { return times[static_cast<size_t>(entry)]; }
  DurationNs Length() const { return window.end - window.start; }
  // Kernels, and with copies and memsets: unions in the window.
  DurationNs KernelBusy() const;
  DurationNs Busy() const { return KernelBusy() + Of(LedgerEntry::kCopies); }
};

// In the order of iterations and GPUs: the rows of report `steps`. Without GPUs that did nothing in
// the analyzed iterations, except where they worked in others.
std::vector<LedgerLane> ReadLedgerLanes(ProfileView profile, const RangeSummary& range);

}  // namespace warpsight
