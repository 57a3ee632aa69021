#pragma once

#include <string>

#include "model/profile.h"

namespace warpsight::fuzz {

// Does with a loaded profile everything that the program and its viewer do: every report in every
// format, the dashboard, the timeline, advice, what-if, other iterations, every export (below
// `folder`). Ends the process where the result cannot be.
void UseProfile(Profile profile, const std::string& folder);

}  // namespace warpsight::fuzz
