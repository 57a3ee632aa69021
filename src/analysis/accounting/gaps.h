#pragma once

#include "model/facts.h"
#include "model/trace.h"

namespace warpsight {

// Finds every stretch of the trace in which a GPU ran nothing and says why (metrics.md, "Idle
// causes"): fills gaps. A stretch is cut where its cause changes:
//   - until the launch of the next work returned, moment by moment: waiting for data, host
//     synchronization (as long as the host had been blocked in the call that emptied the queue:
//     that is what leaving the call out could give back), allocation, else host work before the
//     launch;
//   - from the launch on: launch latency, or, where it lasts longer than any launch takes, a
//     dependency, waiting for another rank, or unknown.
// Needs correlation, nesting and the index of kernel names.
void FindGaps(const Trace& trace, FactTables& facts);

}  // namespace warpsight
