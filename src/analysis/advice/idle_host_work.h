#pragma once

#include <string>
#include <vector>

#include "analysis/advice/rule.h"

namespace warpsight {

// Host activity while a GPU was idle: one innermost range or call, by name.
struct IdleHostWork {
  std::string name;
  DurationNs time = 0;          // within the idle times, all aggregated iterations
  HostId host = kNone<HostId>;  // the longest instance, where it is a range
};

// In the idle times of the cause "host work before the launch", on the threads that then launched
// the next work; the longest first. They sum to that entry of the ledger, but for idle times after
// which nothing was launched.
std::vector<IdleHostWork> FindIdleHostWork(const RuleInput& input);

}  // namespace warpsight
