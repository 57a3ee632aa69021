#pragma once

#include <optional>

#include "analysis/advice/advise.h"
#include "analysis/roofline/gpu_peaks.h"

namespace warpsight {

// Advice on the profile's aggregated iterations. `peaks` come on top of what is known of its GPUs.
Advice AdviseOn(ProfileView profile, const RangeSummary& range,
                const std::optional<GpuPeaks>& peaks = {});

}  // namespace warpsight
