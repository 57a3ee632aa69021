#pragma once

#include <string>

#include "exporters/api/exporter.h"
#include "model/profile.h"

namespace warpsight::testing {

// Writes `profile` with the exporter of that name; fails the test when that fails.
ExportResult ExportForTest(const std::string& format, const Profile& profile,
                           const std::string& output);

}  // namespace warpsight::testing
