#pragma once

#include "analysis/advice/advise.h"

namespace warpsight {

// Puts advice into the profile's tables, in place of what they hold. Texts go to its string pool.
void StoreAdvice(const Advice& advice, Profile& profile);

// The advice that the profile's tables hold. Ids of rules point into the profile, which must
// outlive the result.
Advice LoadAdvice(const Profile& profile);

}  // namespace warpsight
