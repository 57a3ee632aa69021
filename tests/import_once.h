#pragma once

#include <string>
#include <vector>

#include "model/profile.h"

namespace warpsight::testing {

// As ImportForTest, for tests that only look at the profile: it is imported once in a program, and
// kept. For bundled traces; all of other people's would fill the memory.
const Profile& ImportOnce(const std::vector<std::string>& paths);

}  // namespace warpsight::testing
