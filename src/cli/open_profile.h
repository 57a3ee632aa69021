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

// Loads a profile from the user's arguments: a saved profile, or traces that are imported on the
// fly. If the options request other iterations than the saved profile contains, the whole profile
// is loaded and they are applied to it.
Result<Profile> OpenProfile(const std::vector<std::string>& paths,
                            const IterationOptions& iterations, Progress& progress,
                            const LoadOptions& load = {});

// Recomputes the profile's advice if the user specified peaks; the stored advice uses the known
// ones.
void ApplyPeaks(const std::optional<GpuPeaks>& peaks, Profile& profile);

}  // namespace warpsight
