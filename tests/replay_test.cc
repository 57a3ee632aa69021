// The what-if engine on real traces: an unedited graph reproduces the measured step.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <system_error>
#include <vector>

#include "analysis/whatif/what_if.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

// Traces of a folder; a folder among them is a trace of several files.
std::vector<std::string> TracesIn(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(folder, missing)) {
    const std::string path = entry.path().string();
    const bool trace = path.ends_with(".json.gz") || path.ends_with(".json");
    if (entry.is_directory() || (trace && !path.ends_with("measured.json"))) paths.push_back(path);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

constexpr double kUnchecked = std::numeric_limits<double>::infinity();

double Milliseconds(DurationNs time) { return static_cast<double>(time) / 1e6; }

double Error(DurationNs replayed, const WhatIf& what_if) {
  return static_cast<double>(replayed) / static_cast<double>(what_if.measured_step()) - 1;
}

// Prints a line per trace. Without steps, a trace has nothing to compare, and without GPU work,
// nothing to replay.
//
// The replay from the start of the recording consists of recorded durations, including unexplained
// delays. If it reproduces the measured step, no dependency on the critical path was lost or
// invented; this does not show that predictions are right. Predictions start from many steps in a
// row (the last column). A recording of a few steps that began with a full or an empty queue may
// rightly differ from that, so it is checked only if `steady_limit` is given.
void ExpectReplays(const std::vector<std::string>& paths, double limit, double steady_limit) {
  fmt::print("{:<50} {:>12} {:>12} {:>9} {:>9}\n", "trace", "measured", "replayed", "error",
             "steady");
  for (const std::string& path : paths) {
    const std::string name = std::filesystem::path(path).filename().string();
    SCOPED_TRACE(name);
    const Profile profile = ImportForTest({path});
    const RangeSummary range = SummarizeRange(profile);
    const WhatIf what_if(profile, range, Recording::kAsRecorded);
    if (range.source == IterationSource::kNone || what_if.empty()) {
      fmt::print("{:<50} {}\n", name, what_if.empty() ? "no GPU work in its steps" : "no steps");
      continue;
    }
    const double error = Error(what_if.replayed_step(), what_if);
    const double steady = Error(what_if.step(), what_if);
    fmt::print("{:<50} {:>9.3f} ms {:>9.3f} ms {:>+7.2f} % {:>+7.2f} %\n", name,
               Milliseconds(what_if.measured_step()), Milliseconds(what_if.replayed_step()),
               100 * error, 100 * steady);
    EXPECT_LT(std::abs(error), limit);
    EXPECT_LT(std::abs(steady), steady_limit);
  }
}

TEST(ReplayTest, BundledTraces) {
  const std::vector<std::string> paths = TracesIn(SourcePath("tests/data/h200"));
  ASSERT_GE(paths.size(), 11u);
  ExpectReplays(paths, 0.03, 0.03);
}

TEST(ReplayTest, Pairs) {
  const std::vector<std::string> paths = TracesIn(SourcePath("tests/data/pairs"));
  ASSERT_GE(paths.size(), 16u);
  ExpectReplays(paths, 0.03, kUnchecked);
}

// Traces of other projects, from many versions and tools, that are not part of the repository.
TEST(ReplayTest, PublicTraces) {
  const std::vector<std::string> paths = TracesIn(SharedTraces());
  if (paths.empty()) {
    GTEST_SKIP() << "no traces in " << SharedTraces()
                 << "; WARPSIGHT_SHARED names another folder than ../shared";
  }
  ExpectReplays(paths, 0.08, kUnchecked);
}

}  // namespace
}  // namespace warpsight::testing
