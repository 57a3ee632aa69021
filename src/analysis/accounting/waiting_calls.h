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
  ApiId call = kNone<ApiId>;    // in which it waited; kNone where no call was recorded
  ApiId launch = kNone<ApiId>;  // of a wait without a call: the last launch before it

  // The call by which it belongs to an iteration.
  ApiId Place() const { return IsSet(call) ? call : launch; }
};

// All of them, by start. Needs correlation.
std::vector<HostWait> FindHostWaits(const Trace& trace, const FactTables& facts);

// By API call, of any thread: whether the host waits for the GPU in it, in a function that
// synchronizes or a blocking copy. Several of them may be one host synchronization. Needs
// correlation.
std::vector<bool> WaitingCalls(const Trace& trace, const FactTables& facts);

}  // namespace warpsight
