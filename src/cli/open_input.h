#pragma once

#include <string>
#include <vector>

#include "analysis/iterations/iterations.h"
#include "base/result.h"
#include "model/profile.h"
#include "store/profile_file.h"

namespace warpsight {

// OpenProfile() for commands: shows the progress, and then prints what the user should know about
// the file.
Result<Profile> OpenInput(const std::vector<std::string>& paths, const IterationOptions& iterations,
                          const LoadOptions& load = {});

}  // namespace warpsight
