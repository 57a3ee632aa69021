#pragma once

#include <string>

#include "model/profile.h"

namespace warpsight {

// One sentence: can this profile's numbers be trusted, and what limits them.
std::string TrustSentence(const Profile& profile);

}  // namespace warpsight
