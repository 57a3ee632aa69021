// Compares advice with measurements: workloads recorded before and after a change, and timed
// without a profiler on both sides. From the recording before the change alone, the rule must find
// the change and predict its gain; in the recording after it, there must be no finding.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/accounting/gpu_work.h"
#include "analysis/advice/advise_on.h"
#include "analysis/advice/predicted_range.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

struct Pair {
  std::string folder, name, rule;
  double before_ms = 0;
  double after_ms = 0;

  double speedup() const { return before_ms / after_ms; }
  std::string Trace(const char* side) const {
    return SourcePath(folder + "/" + name + "." + side + ".pt.trace.json.gz");
  }
};

// Reads lines of "pair,rule,before_ms,after_ms".
std::vector<Pair> ReadPairs(const std::string& folder) {
  std::ifstream file(SourcePath(folder + "/pairs.csv"));
  std::vector<Pair> pairs;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    Pair pair;
    pair.folder = folder;
    std::string number;
    std::getline(fields, pair.name, ',');
    std::getline(fields, pair.rule, ',');
    std::getline(fields, number, ',');
    pair.before_ms = std::stod(number);
    std::getline(fields, number, ',');
    pair.after_ms = std::stod(number);
    pairs.push_back(pair);
  }
  return pairs;
}

struct Found {
  int rank = 0;  // among the displayed findings; 0: no finding
  double speedup = 1;
  SpeedupRange range;
};

Found FindRule(const Advice& advice, const std::string& rule) {
  int rank = 0;
  for (const RankedFinding& finding : advice.findings) {
    if (!advice.IsShownByDefault(finding)) continue;
    ++rank;
    if (finding.rule == rule) {
      return {rank, finding.speedup, PredictedRange(finding.rule, finding.speedup)};
    }
  }
  return {};
}

Advice AdviceOn(const std::string& trace) {
  const Profile profile = ImportForTest({trace});
  return AdviseOn(profile, SummarizeRange(profile));
}

struct Outcome {
  Pair pair;
  Found before;
  double after = 1;  // the speed-up that the rule still predicts after the change
  double error() const { return before.speedup / pair.speedup() - 1; }
  bool InRange() const {
    return before.range.low <= pair.speedup() && pair.speedup() <= before.range.high;
  }
};

std::vector<Outcome> Predict(const std::vector<Pair>& pairs) {
  std::vector<Outcome> outcomes;
  fmt::print("{:33} {:22} {:>4} {:>9} {:>9} {:>8} {:>15} {:>7}\n", "pair", "rule", "rank",
             "measured", "predicted", "error", "range", "after");
  for (const Pair& pair : pairs) {
    Outcome outcome{pair, FindRule(AdviceOn(pair.Trace("before")), pair.rule),
                    FindRule(AdviceOn(pair.Trace("after")), pair.rule).speedup};
    fmt::print(
        "{:33} {:22} {:>4} {:>8.2f}x {:>8.2f}x {:>+7.1f}% {:>6.2f}x to {:>4.2f}x {:>6.2f}x\n",
        pair.name, pair.rule, outcome.before.rank, pair.speedup(), outcome.before.speedup,
        100 * outcome.error(), outcome.before.range.low, outcome.before.range.high, outcome.after);
    outcomes.push_back(outcome);
  }
  return outcomes;
}

double MedianError(const std::vector<Outcome>& outcomes) {
  std::vector<double> errors;
  errors.reserve(outcomes.size());
  for (const Outcome& outcome : outcomes) errors.push_back(std::abs(outcome.error()));
  std::sort(errors.begin(), errors.end());
  const size_t middle = errors.size() / 2;
  return errors.size() % 2 == 1 ? errors[middle] : (errors[middle - 1] + errors[middle]) / 2;
}

void Check(const std::vector<Outcome>& outcomes) {
  for (const Outcome& outcome : outcomes) {
    SCOPED_TRACE(outcome.pair.name);
    EXPECT_GE(outcome.before.rank, 1);
    EXPECT_LE(outcome.before.rank, 3);
    EXPECT_LT(outcome.after, 1.05);
    EXPECT_LE(std::abs(outcome.error()), 0.35);
  }
  const double median = MedianError(outcomes);
  fmt::print("median error {:.1f} %\n", 100 * median);
  EXPECT_LE(median, 0.15);
}

TEST(PairsTest, ChangesAreFoundAndTheirGainPredicted) {
  const std::vector<Pair> pairs = ReadPairs("tests/data/pairs");
  ASSERT_EQ(pairs.size(), 8U);
  Check(Predict(pairs));
}

// The ranges were chosen with these changes among others; docs/advice.md has all of them.
TEST(PairsTest, RangesHoldMostMeasuredSpeedups) {
  std::vector<Pair> pairs = ReadPairs("tests/data/pairs");
  const std::vector<Pair> more = ReadPairs("tests/data/pairs_extra");
  pairs.insert(pairs.end(), more.begin(), more.end());
  const std::vector<Outcome> outcomes = Predict(pairs);
  const auto held = std::ranges::count_if(outcomes, &Outcome::InRange);
  fmt::print("{} of {} measured speed-ups are in their range\n", held, outcomes.size());
  EXPECT_GE(5 * static_cast<size_t>(held), 4 * outcomes.size());
}

// The GPU work of a step, with overlapping work counted once: a lower limit of the step for every
// change on the CPU side.
double GpuBusyNs(const Profile& profile, const RangeSummary& range) {
  double busy = 0;
  const std::vector<GpuWork> gpus = CollectGpuWork(profile.trace, profile.facts);
  for (size_t d = 0; d < gpus.size(); ++d) {
    const Interval window = range.windows[Index(profile.trace.tables.devices.source[d])];
    busy = std::max(busy, static_cast<double>(gpus[d].All().LengthWithin(window)));
  }
  return busy / static_cast<double>(range.last - range.first + 1);
}

// Gains that were already realized must not be predicted again: no change on the CPU side makes a
// step shorter than its GPU work.
TEST(PairsTest, NoGainIsPredictedBeyondTheGpuWork) {
  for (const Pair& pair : ReadPairs("tests/data/pairs")) {
    SCOPED_TRACE(pair.name);
    const Profile profile = ImportForTest({pair.Trace("after")});
    const RangeSummary range = SummarizeRange(profile);
    const Advice advice = AdviseOn(profile, range);
    const double busy = GpuBusyNs(profile, range);
    for (const RankedFinding& finding : advice.findings) {
      SCOPED_TRACE(finding.rule);
      const bool cpu_side = finding.rule == "cuda-graphs" || finding.rule == "host-sync" ||
                            finding.rule == "input-bound" || finding.rule == "allocation-in-step";
      if (cpu_side) {
        EXPECT_GE(static_cast<double>(finding.predicted_step), 0.97 * busy);
      }
      EXPECT_LE(finding.saving, advice.unprofiled_step);
    }
  }
}

}  // namespace
}  // namespace warpsight::testing
