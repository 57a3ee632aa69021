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
  constexpr size_t kMostNamed = 5;
  const ImportLogTable& log = profile.trace.tables.import_log;
  std::string text;
  int64_t problems = 0;
  size_t left_out = 0;
  for (size_t i = 0; i < log.code.size(); ++i) {
    if (profile.trace.Text(log.code[i]) != "file_left_out") {
      problems += log.count[i];
    } else if (++left_out <= kMostNamed) {
      text += fmt::format("left out {}\n", Printable(profile.trace.Text(log.message[i])));
    }
  }
  if (left_out > kMostNamed) {
    text += fmt::format("left out {} more files: warpsight report {} --report trust\n",
                        left_out - kMostNamed, Printable(path));
  }
  if (problems > 0) {
    text += fmt::format("{} records had problems: warpsight report {} --report trust\n",
                        FormatCount(problems), Printable(path));
  }
  return text;
}

}  // namespace warpsight
