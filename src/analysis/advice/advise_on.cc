#include "analysis/advice/advise_on.h"

#include "analysis/roofline/cost_model.h"

namespace warpsight {

Advice AdviseOn(ProfileView profile, const RangeSummary& range,
                const std::optional<GpuPeaks>& peaks) {
  const CostModel costs(profile, peaks);
  return Advise(profile, range, costs);
}

}  // namespace warpsight
