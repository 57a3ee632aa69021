#pragma once

#include "analysis/advice/advise.h"

namespace warpsight {

// Advice on the profile's aggregated iterations, with the costs that the profile itself tells.
Advice AdviseOn(const Profile& profile, const RangeSummary& range);

}  // namespace warpsight
