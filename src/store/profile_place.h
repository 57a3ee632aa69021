#pragma once

#include <string>

#include "base/output_place.h"
#include "base/progress.h"
#include "base/result.h"
#include "model/profile.h"

namespace warpsight {

// Where a profile may be saved: at `path` there is nothing, an empty file or an earlier profile, or
// another program's file that the rules give up. Refuses also where a log of DuckDB lies beside it,
// which would become part of the profile. Call it before long work; SaveProfile() checks again.
Result<OutputPlace> FindProfilePlace(const std::string& path, const OutputRules& rules = {});

// SaveProfile() of store/profile_file.h, to a place that was found before.
Status SaveProfile(const Profile& profile, const OutputPlace& place, Progress& progress);

// "cannot save run.warpsight: No space left on device".
Error CannotSave(const std::string& path, const Error& reason);

// Whether the file is a profile of this or another version of the program; false also where that
// cannot be told, because the file is damaged or another program writes to it.
bool IsWarpsightProfile(const std::string& path);

// An error where DuckDB would apply a log to the database at `path`.
Status CheckNoLog(const std::string& path);

}  // namespace warpsight
