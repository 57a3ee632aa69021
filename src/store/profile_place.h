#pragma once

#include <string>

#include "base/output_place.h"
#include "base/progress.h"
#include "base/result.h"
#include "model/profile.h"

namespace warpsight {

// Whether and where a profile may be saved: `path` must be free, an empty file, an earlier profile,
// or a file of another program that the rules allow to be replaced. Also an error if there is a log
// of DuckDB beside it, which would be applied to the profile. Call it before long work;
// SaveProfile() checks again.
Result<OutputPlace> FindProfilePlace(const std::string& path, const OutputRules& rules = {});

// SaveProfile() of store/profile_file.h, to a place found by FindProfilePlace().
Status SaveProfile(const Profile& profile, const OutputPlace& place, Progress& progress);

// The error "cannot save run.warpsight: No space left on device".
Error CannotSave(const std::string& path, const Error& reason);

// Whether the file is a profile of this or another version of the program. Also false if that
// cannot be determined, because the file is damaged or another program is writing to it.
bool IsWarpsightProfile(const std::string& path);

// An error if DuckDB would apply a log to the database at `path`.
Status CheckNoLog(const std::string& path);

}  // namespace warpsight
