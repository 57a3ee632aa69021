#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace warpsight {

// What `view` opens for these arguments: files as they are, and of a folder each profile and each
// trace in it. A folder stays one entry, which is imported as one run, if its traces are those of
// the ranks of one job, if it is a kept recording (NAME.capture), or if it holds folders only. An
// Error where a file is missing or a folder has nothing to show.
Result<std::vector<std::string>> FindViewInputs(const std::vector<std::string>& paths);

}  // namespace warpsight
