#pragma once

#include <string>

#include "base/progress.h"
#include "base/result.h"
#include "model/profile.h"

namespace warpsight {

// Writes the tables and views of `profile` below `folder` as TABLE/rank=R/NAME.parquet, the layout
// that Hive made common. Texts stand in the rows; `id` is the row's number, to which the *_id
// columns of other tables refer. Rows that belong to no rank are with the first. The column `run`
// is the profile's name. After an error there may be files left in the folder.
Status WriteParquet(const Profile& profile, const std::string& folder, const std::string& name,
                    Progress& progress);

// Whether the file is one that WriteParquet() wrote.
bool IsOurParquet(const std::string& path);

}  // namespace warpsight
