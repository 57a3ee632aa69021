#include "exported_files.h"

#include <gtest/gtest.h>

namespace warpsight::testing {

ExportResult ExportForTest(const std::string& format, const Profile& profile,
                           const std::string& output) {
  for (const Exporter& exporter : AllExporters()) {
    if (exporter.name != format) continue;
    Progress progress;
    const auto result = exporter.run({profile, output, progress});
    if (result.ok()) return *result;
    ADD_FAILURE() << result.error().message;
    return {};
  }
  ADD_FAILURE() << "no exporter " << format;
  return {};
}

}  // namespace warpsight::testing
