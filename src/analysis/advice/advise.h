#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/advice/rule.h"

namespace warpsight {

// Findings that save less than this share of the step are hidden by default: step times vary by
// that much.
inline constexpr double kMinShownSaving = 0.02;

struct RankedFinding {
  std::string_view rule;
  std::string problem;
  std::string recommendation;
  std::string assumes;
  Confidence confidence = Confidence::kMedium;
  bool predicts = false;  // false for trust, no-iterations and the like, and without iterations
  // Without the profiler, for the current work of a step. Without iterations, `saving` is the time
  // that could be saved in the whole recording.
  DurationNs predicted_step = 0;
  DurationNs saving = 0;
  double speedup = 1;
  bool combined = false;  // part of Advice::combined_step
  std::vector<Evidence> evidence;
};

// Whether the trace suggests the gain but cannot confirm it: never the first advice if there is
// other advice, and not called the change to make first.
inline bool IsUncertain(const RankedFinding& finding) {
  return finding.predicts && finding.confidence == Confidence::kLow;
}

struct SkippedRule {
  std::string_view rule;
  std::string because;
};

// What to change, and the predicted effect.
struct Advice {
  DurationNs measured_step = 0;
  DurationNs replayed_step = 0;    // of the unedited graph; should equal the measured step
  DurationNs unprofiled_step = 0;  // the baseline of predictions
  // By saving, except that one of low confidence is not the first if there is another one; those
  // without a prediction come last.
  std::vector<RankedFinding> findings;
  std::vector<SkippedRule> skipped;
  // The step with all displayed changes that are compatible and save additional time; 0 if there
  // are fewer than two.
  DurationNs combined_step = 0;

  // The critical path of the step without the profiler, by PathPart.
  std::array<DurationNs, kPathPartCount> path{};

  // Whether there was anything to replay; false without GPU work.
  bool Replayed() const { return replayed_step > 0; }
  double CombinedSpeedup() const {
    return combined_step == 0
               ? 1
               : static_cast<double>(unprofiled_step) / static_cast<double>(combined_step);
  }
  bool IsShownByDefault(const RankedFinding& finding) const {
    if (!finding.predicts && finding.saving == 0) return true;
    return static_cast<double>(finding.saving) >=
           kMinShownSaving * static_cast<double>(unprofiled_step);
  }
};

// Runs every rule on the profile's aggregated iterations.
Advice Advise(ProfileView profile, const RangeSummary& range, const CostModel& costs);

}  // namespace warpsight
