#pragma once

#include <string>

#include "model/profile.h"

namespace warpsight {

// All records of a profile's traces.
int64_t EventCount(const Profile& profile);

// "run.warpsight: 12,345 events, 1.2 MB in 0.34 s", and lines on files that were left out
// and records that had problems, if any.
std::string DescribeSaved(const Profile& profile, const std::string& path, double seconds);
std::string DescribeProblems(const Profile& profile, const std::string& path);

}  // namespace warpsight
