#pragma once

#include "analysis/advice/advise.h"

namespace warpsight {

// Replaces the advice in the facts. Its texts are added to the trace's string pool.
void StoreAdvice(const Advice& advice, StringPool& strings, FactTables& facts);

// The advice stored in the profile's tables. Ids of rules refer to the profile, which must outlive
// the result.
Advice LoadAdvice(ProfileView profile);

}  // namespace warpsight
