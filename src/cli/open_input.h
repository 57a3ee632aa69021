#pragma once

#include <string>
#include <vector>

#include "analysis/iterations/iterations.h"
#include "base/result.h"
#include "model/profile.h"
#include "store/profile_file.h"

namespace warpsight {

// The help on the argument PROFILE|TRACE.
inline constexpr const char* kProfileOrTraces =
    "A saved profile, or trace files or folders; - is standard input";

// OpenProfile() for commands: "-" is standard input. Shows the progress, and then prints what the
// user should know about the file.
Result<Profile> OpenInput(const std::vector<std::string>& paths, const IterationOptions& iterations,
                          const LoadOptions& load = {});

}  // namespace warpsight
