#include "importers/api/one_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace warpsight {
namespace {

using Facts = TraceBuilder::SourceFacts;

constexpr const char* kAlone = "import them one by one";

bool SameRank(const Facts& a, const Facts& b) { return a.rank != kMissing && a.rank == b.rank; }

bool OtherJob(const Facts& a, const Facts& b) {
  return a.world_size != kMissing && b.world_size != kMissing && a.world_size != b.world_size;
}

// Whether these are two formats of one recording, such as the two files of a JAX profile.
bool SameRecording(const Facts& a, const Facts& b) {
  if (a.format == b.format || a.activities == 0 || a.activities != b.activities) return false;
  const auto difference = static_cast<double>(std::abs(a.gpu_time - b.gpu_time));
  return difference <= 0.001 * static_cast<double>(std::max(a.gpu_time, b.gpu_time));
}

// The time between the end of one recording and the beginning of the other, in Unix time; 0 if they
// overlap or if it is unknown.
DurationNs Pause(const Facts& a, const Facts& b) {
  if (a.unix_base == kMissing || b.unix_base == kMissing) return 0;
  if (a.start == kMissing || b.start == kMissing) return 0;
  const TimeNs a_start = a.start + a.unix_base;
  const TimeNs b_start = b.start + b.unix_base;
  return std::max(
      {DurationNs{0}, b_start - (a.end + a.unix_base), a_start - (b.end + b.unix_base)});
}

Status Compare(const Facts& a, const Facts& b) {
  // The clocks of machines differ, and not all ranks start recording at the same time.
  constexpr DurationNs kLongestPause = 10'000'000'000;
  const auto both = [&](const std::string& why) {
    return Error{
        fmt::format("{} and {} do not belong to one run: {}; {}", a.path, b.path, why, kAlone)};
  };
  if (a.run != 0 && b.run != 0) {
    if (a.run == b.run) return {};
    return both("they belong to two recordings");
  }
  if (SameRecording(a, b)) {
    return Error{
        fmt::format("{} and {} contain the same recording; import one of them", a.path, b.path)};
  }
  if (OtherJob(a, b)) {
    return both(
        fmt::format("they belong to jobs with {} and {} ranks", a.world_size, b.world_size));
  }
  if (SameRank(a, b)) return both(fmt::format("both are rank {}", a.rank));
  if (const DurationNs pause = Pause(a, b); pause > kLongestPause) {
    return both(
        fmt::format("one ends {:.0f} s before the other starts", static_cast<double>(pause) / 1e9));
  }
  return {};
}

}  // namespace

Status CheckOneRun(const std::vector<Facts>& files) {
  for (size_t i = 0; i < files.size(); ++i) {
    for (size_t k = i + 1; k < files.size(); ++k) {
      if (Status status = Compare(files[i], files[k]); !status.ok()) return status;
    }
  }
  return {};
}

}  // namespace warpsight
