#pragma once

#include <cstdint>
#include <string>

#include "model/profile.h"

namespace warpsight {

// All records of a profile's traces.
int64_t EventCount(const Profile& profile);

// "run.warpsight: 12,345 events, 1.2 MB in 0.34 s".
std::string DescribeSaved(const Profile& profile, const std::string& path, double seconds);
// Lines on files that were not read and on records that had problems; empty if there are none.
std::string DescribeProblems(const Profile& profile, const std::string& path);

}  // namespace warpsight
