#pragma once

#include <string>
#include <vector>

namespace warpsight {

// Removes every temporary file and folder that this process is still writing. For a process that is
// about to exit without running destructors: afterwards no UnfinishedFolder can be created or moved
// into place, so no partial or temporary files remain. May be called from any thread, but not from
// a signal handler, while other threads are writing; they get errors.
void RemoveUnfinishedFiles();

// Leftovers of killed processes that could not be removed, one line each; each line is returned
// once.
std::vector<std::string> TakeLeftoverMessages();

}  // namespace warpsight
