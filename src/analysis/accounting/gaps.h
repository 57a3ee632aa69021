#pragma once

#include "model/facts.h"
#include "model/trace.h"

namespace warpsight {

// Finds every interval of the trace in which a GPU was idle, and its cause (metrics.md, "Where the
// time goes"): fills gaps. An interval is split where its cause changes:
//   - until the launch of the next work returned, moment by moment: waiting for data, host
//     synchronization (for as long as the host was blocked in the call that emptied the queue,
//     which is the most that removing the call could save), allocation, otherwise host work before
//     the launch;
//   - after the launch: launch latency, or, if it lasts longer than any launch takes, a dependency,
//     waiting for another rank, or unknown.
// Needs correlation, nesting and the index of kernel names.
void FindGaps(const Trace& trace, FactTables& facts);

}  // namespace warpsight
