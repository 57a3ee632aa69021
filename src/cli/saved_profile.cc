#include "cli/saved_profile.h"

#include <fmt/format.h>

#include <filesystem>
#include <numeric>

#include "analysis/reporting/format.h"
#include "base/printable.h"

namespace warpsight {

int64_t EventCount(const Profile& profile) {
  const auto& events = profile.trace.tables.sources.events;
  return std::accumulate(events.begin(), events.end(), int64_t{0});
}

std::string DescribeSaved(const Profile& profile, const std::string& path, double seconds) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  return fmt::format("{}: {} events, {} in {:.2f} s\n", Printable(path),
                     FormatCount(EventCount(profile)),
                     FormatBytes(error ? 0.0 : static_cast<double>(size)), seconds);
}

std::string DescribeProblems(const Profile& profile, const std::string& path) {
  const auto& counts = profile.trace.tables.import_log.count;
  const int64_t problems = std::accumulate(counts.begin(), counts.end(), int64_t{0});
  if (problems == 0) return {};
  return fmt::format("{} records had problems: warpsight report {} --report trust\n",
                     FormatCount(problems), Printable(path));
}

}  // namespace warpsight
