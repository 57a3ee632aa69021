#pragma once

#include <string>
#include <vector>

namespace warpsight {

// Removes every temporary file and folder that this process is still writing. For a process that
// ends next without running destructors: afterwards no UnfinishedFolder can be made and none can
// take its place, so that nothing appears half-written and nothing is left behind. May be called
// from any thread, but not from a signal handler, while other threads are writing; they get errors.
void RemoveUnfinishedFiles();

// What could not be removed of that which killed processes left behind, one line each; each line is
// handed out once.
std::vector<std::string> TakeLeftoverMessages();

}  // namespace warpsight
