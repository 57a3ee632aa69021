#include "analysis/advice/advise_on.h"

#include "analysis/roofline/cost_model.h"

namespace warpsight {

Advice AdviseOn(const Profile& profile, const RangeSummary& range) {
  const CostModel costs(profile);
  return Advise(profile, range, costs);
}

}  // namespace warpsight
