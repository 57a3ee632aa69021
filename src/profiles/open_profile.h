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

// The one place where profiles come from: from traces, which are imported and analyzed, and from
// saved profiles of this schema or an earlier one.
namespace warpsight {

// Imports and analyzes traces, or the trace that one saved profile holds. An empty name leaves the
// trace its own.
Result<Profile> ImportProfile(const std::vector<std::string>& paths, const std::string& name,
                              const IterationOptions& iterations, Progress& progress);

struct OpenedProfile {
  Profile profile;
  // What the user should know about the file, one line; empty where there is nothing.
  std::string notice;
};

// A saved profile. Options that ask for other iterations than it holds are applied to it, for which
// all of it is loaded. Of a profile of an earlier schema only the trace is read, all of it, and the
// rest derived again.
Result<OpenedProfile> OpenSavedProfile(const std::string& path, const IterationOptions& iterations,
                                       Progress& progress, const LoadOptions& load = {});

// A profile from what the user named: a saved profile, or traces that are imported on the fly.
Result<OpenedProfile> OpenProfile(const std::vector<std::string>& paths,
                                  const IterationOptions& iterations, Progress& progress,
                                  const LoadOptions& load = {});

// What to tell who asks a profile of an earlier schema in SQL; empty for other files.
std::string NoticeForQueries(const std::string& path);

// Replaces the profile's advice where the user gave peaks: what it holds rests on those that are
// known.
void ApplyPeaks(const std::optional<GpuPeaks>& peaks, Profile& profile);

}  // namespace warpsight
