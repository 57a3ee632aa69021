#pragma once

#include <string>
#include <vector>

#include "analysis/advice/rule.h"

namespace warpsight {

// Host activity while a GPU was idle: one innermost range or call, by name.
struct IdleHostWork {
  std::string name;
  DurationNs time = 0;          // within the idle times, over all aggregated iterations
  HostId host = kNone<HostId>;  // the longest instance, if it is a range
};

// What the host did in idle times with the cause "host work before the launch", on the thread that
// then launched the next work; longest first. The times sum to that entry of the ledger, except for
// idle times that no launch ended.
std::vector<IdleHostWork> FindIdleHostWork(const RuleInput& input);

}  // namespace warpsight
