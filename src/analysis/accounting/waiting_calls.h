#pragma once

#include <vector>

#include "model/facts.h"
#include "model/trace.h"

namespace warpsight {

// A host synchronization: an interval in which a thread that launches GPU work waited for the GPU.
// docs/metrics.md, "Host synchronization", defines it; this is the only code that finds them.
struct HostWait {
  ThreadId thread;
  TimeNs start = 0;
  TimeNs end = 0;
  ApiId call = kNone<ApiId>;    // the call in which it waited; kNone if no call was recorded
  ApiId launch = kNone<ApiId>;  // for a wait without a call: the last launch before it

  // The call that determines the iteration of the wait.
  ApiId Place() const { return IsSet(call) ? call : launch; }
};

// All host synchronizations, ordered by start. Needs correlation.
std::vector<HostWait> FindHostWaits(const Trace& trace, const FactTables& facts);

// By API call, on any thread: whether the host waits for the GPU in it, because it synchronizes or
// is a blocking copy. Several such calls may be one host synchronization. Needs correlation.
std::vector<bool> WaitingCalls(const Trace& trace, const FactTables& facts);

}  // namespace warpsight
