#pragma once

#include <string>

#include "exporters/api/exporter.h"
#include "model/profile.h"

namespace warpsight::testing {

// Writes `profile` with the named exporter; fails the test if the export fails.
ExportResult ExportForTest(const std::string& format, const Profile& profile,
                           const std::string& output);

}  // namespace warpsight::testing
