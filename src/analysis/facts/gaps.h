#pragma once

#include "model/facts.h"
#include "model/trace.h"

namespace warpsight {

// Finds every stretch of the trace in which a GPU ran nothing and says why (metrics.md, "Idle
// gaps"): fills gaps. A stretch is cut where its cause changes, into at most three pieces in time
// order:
//   - as long as the host had been blocked in the synchronisation that drained the queue: that is
//     what leaving the synchronisation out could give back;
//   - until the launch of the next work: what the launching threads did most of that time;
//   - from the launch on: launch latency, or a dependency.
// Needs correlation and nesting.
void FindGaps(const Trace& trace, FactTables& facts);

}  // namespace warpsight
