#pragma once

#include "analysis/advice/advise.h"

namespace warpsight {

// Puts advice into the facts about a trace, in place of what they hold. Texts go to the trace's
// string pool.
void StoreAdvice(const Advice& advice, StringPool& strings, FactTables& facts);

// The advice that the profile's tables hold. Ids of rules point into the profile, which must
// outlive the result.
Advice LoadAdvice(ProfileView profile);

}  // namespace warpsight
