#pragma once

#include "analysis/advice/advise.h"

namespace warpsight {

// Replaces the advice in the facts about a trace. Texts go to the trace's string pool.
void StoreAdvice(const Advice& advice, StringPool& strings, FactTables& facts);

// The advice that the profile's tables hold. Ids of rules point into the profile, which must
// outlive the result.
Advice LoadAdvice(ProfileView profile);

}  // namespace warpsight
