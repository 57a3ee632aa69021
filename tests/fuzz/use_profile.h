#pragma once

#include <string>

#include "model/profile.h"

namespace warpsight::fuzz {

// Runs everything that the program and its viewer do with a loaded profile: every report in every
// format, the dashboard, the timeline, advice, what-if, other iterations, every export (below
// `folder`). Ends the process if a result is impossible.
void UseProfile(Profile profile, const std::string& folder);

}  // namespace warpsight::fuzz
