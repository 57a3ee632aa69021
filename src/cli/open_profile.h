#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/iterations/iterations.h"
#include "analysis/roofline/gpu_peaks.h"
#include "base/progress.h"
#include "base/result.h"
#include "model/profile.h"
#include "store/profile_file.h"

namespace warpsight {

// Imports and analyses traces.
Result<Profile> ImportProfile(const std::vector<std::string>& paths, const std::string& name,
                              const IterationOptions& iterations, Progress& progress);

// A profile from what the user named: a saved profile, or traces that are imported on the fly.
// Options that ask for other iterations than a saved profile holds are applied to it, for which all
// of it is loaded.
Result<Profile> OpenProfile(const std::vector<std::string>& paths,
                            const IterationOptions& iterations, Progress& progress,
                            const LoadOptions& load = {});

// Replaces the profile's advice where the user gave peaks: what it holds rests on those that are
// known.
void ApplyPeaks(const std::optional<GpuPeaks>& peaks, Profile& profile);

}  // namespace warpsight
