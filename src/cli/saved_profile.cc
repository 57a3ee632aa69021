#include "cli/saved_profile.h"

#include <fmt/format.h>

#include <filesystem>
#include <numeric>
#include <string_view>
#include <system_error>

#include "analysis/text/format.h"
#include "base/printable.h"
#include "model/import_log_effects.h"

namespace warpsight {
namespace {

// The entries of the import log, counted by kind.
class ImportProblems {
 public:
  void Add(std::string_view code, int64_t count, std::string_view message) {
    if (code == "file_left_out") {
      Name("left out", message);
    } else if (code == "file_unreadable") {
      Name("cannot read", message);
    } else if (code == "file_passed_over") {
      ++not_traces_;
    } else {
      AddToRead(EffectOf(code), count);
    }
  }

  std::string Describe(const std::string& path) const {
    std::string summary;
    const auto add = [&](const std::string& text) {
      summary += fmt::format("{}{}", summary.empty() ? "" : "; ", text);
    };
    if (not_named_ > 0) add(fmt::format("{} more files were not read", not_named_));
    if (not_traces_ == 1) add("1 file is not a trace and was skipped");
    if (not_traces_ > 1) add(fmt::format("{} files are not traces and were skipped", not_traces_));
    if (records_ > 0) {
      add(fmt::format("{} record{} had problems", FormatCount(records_), records_ == 1 ? "" : "s"));
    }
    if (parts_unread_) add("parts of the files were not read");
    if (files_changed_) add("files changed while they were read");
    if (notes_ > 0) add(fmt::format("{} note{} on the import", notes_, notes_ == 1 ? "" : "s"));
    if (summary.empty()) return named_;
    return fmt::format("{}{}: warpsight report {} --report trust\n", named_, summary,
                       Printable(path));
  }

 private:
  static constexpr size_t kMaxNamed = 5;

  void Name(std::string_view what, std::string_view message) {
    if (files_named_ == kMaxNamed) {
      ++not_named_;
    } else {
      ++files_named_;
      named_ += fmt::format("{} {}\n", what, Printable(message));
    }
  }

  void AddToRead(LogEffect effect, int64_t count) {
    switch (effect) {
      case LogEffect::kLostRecord:
      case LogEffect::kChangedRecord:
        records_ += count;
        break;
      case LogEffect::kUnreadPart:
      case LogEffect::kCut:
        parts_unread_ = true;
        break;
      case LogEffect::kChangedFile:
        files_changed_ = true;
        break;
      case LogEffect::kNote:
        ++notes_;
        break;
    }
  }

  std::string named_;  // a line for each file
  size_t files_named_ = 0, not_named_ = 0;
  size_t not_traces_ = 0, notes_ = 0;
  int64_t records_ = 0;
  bool parts_unread_ = false, files_changed_ = false;
};

}  // namespace

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
  ImportProblems problems;
  const Trace& trace = profile.trace;
  const ImportLogTable& log = trace.tables.import_log;
  for (size_t i = 0; i < log.code.size(); ++i) {
    problems.Add(trace.Text(log.code[i]), log.count[i], trace.Text(log.message[i]));
  }
  return problems.Describe(path);
}

}  // namespace warpsight
