#pragma once

#include <string>

#include "base/progress.h"
#include "base/result.h"
#include "model/profile.h"

namespace warpsight {

// Writes the tables and views of `profile` below `folder` as TABLE/rank=R/NAME.parquet, the layout
// introduced by Hive. Texts are stored as values. `id` is the row number, to which the *_id columns
// of other tables refer. Rows that belong to no rank are stored with the first one. The column
// `run` is the profile's name. After an error, some files may remain in the folder.
Status WriteParquet(const Profile& profile, const std::string& folder, const std::string& name,
                    Progress& progress);

// Whether WriteParquet() wrote the file.
bool IsOurParquet(const std::string& path);

}  // namespace warpsight
