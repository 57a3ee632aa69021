#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/iterations/iterations.h"
#include "analysis/roofline/gpu_peaks.h"
#include "base/progress.h"
#include "base/result.h"
#include "model/profile.h"
#include "store/held_file.h"
#include "store/profile_file.h"

// The only source of profiles: traces, which are imported and analyzed, and saved profiles of this
// schema or an earlier one.
namespace warpsight {

// Imports and analyzes traces, or the trace in one saved profile. If `name` is empty, the trace
// keeps its own.
Result<Profile> ImportProfile(const std::vector<std::string>& paths, const std::string& name,
                              const IterationOptions& iterations, Progress& progress);

struct OpenedProfile {
  Profile profile;
  // One line about the file for the user; may be empty.
  std::string notice;
};

// Opens a saved profile. If the options request other iterations than it contains, the whole
// profile is loaded and they are applied to it. From a profile of an earlier schema only the trace
// is read, completely, and the rest is derived again.
Result<OpenedProfile> OpenSavedProfile(const std::string& path, const IterationOptions& iterations,
                                       Progress& progress, const LoadOptions& load = {});

// A saved profile and the file it was read from.
struct HeldProfile {
  Profile profile;
  HeldFile file;
  // As in OpenedProfile. Not empty: the tables and views of the file are those of an earlier
  // schema.
  std::string notice;
};

// Opens a saved profile such that the profile in memory and all queries come from one file,
// whatever happens to its name.
Result<HeldProfile> OpenAndHold(const std::string& path, Progress& progress);

// Loads a profile from the user's arguments: a saved profile, or traces that are imported on the
// fly.
Result<OpenedProfile> OpenProfile(const std::vector<std::string>& paths,
                                  const IterationOptions& iterations, Progress& progress,
                                  const LoadOptions& load = {});

// Saves the profile in a temporary file that is already unlinked, so nothing remains of it however
// the program ends.
Result<HeldFile> SaveWithoutName(const Profile& profile, Progress& progress);

// The notice for SQL queries on a profile of an earlier schema.
std::string NoticeForQueries(const std::string& path, int schema_version);

// Recomputes the profile's advice if the user specified peaks; the stored advice uses the known
// ones.
void ApplyPeaks(const std::optional<GpuPeaks>& peaks, Profile& profile);

}  // namespace warpsight
