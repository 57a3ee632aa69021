#pragma once

#include <optional>

#include "analysis/advice/advise.h"
#include "analysis/roofline/gpu_peaks.h"

namespace warpsight {

// Advice for the profile's aggregated iterations. `peaks` override the known peaks of its GPUs.
Advice AdviseOn(ProfileView profile, const RangeSummary& range,
                const std::optional<GpuPeaks>& peaks = {});

}  // namespace warpsight
