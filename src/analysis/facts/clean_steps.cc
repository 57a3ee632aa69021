#include "analysis/facts/clean_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/text/format.h"
#include "base/statistics.h"

namespace warpsight {
namespace {

// Fewer steps have no mean to rely on. Our choice.
constexpr int64_t kFewest = 3;
// If clean steps vary by more than this factor, their mean describes none of them. Our choice.
constexpr DurationNs kTooVaried = 10;

struct Step {
  DurationNs duration;
  StepState state;
};

// The leading steps that take much longer than the others are warm-up, as for iterations.
void LeaveOutWarmUp(std::vector<Step>& steps) {
  if (static_cast<int64_t>(steps.size()) < kFewest) return;
  std::vector<DurationNs> times;
  times.reserve(steps.size());
  for (const Step& step : steps) times.push_back(step.duration);
  const DurationNs longest = LargestUsual(std::move(times));
  const auto usual = std::find_if(steps.begin(), steps.end() - 1,
                                  [&](const Step& step) { return step.duration <= longest; });
  steps.erase(steps.begin(), usual);
}

// Consecutive steps with the same state.
struct Stretch {
  int64_t steps = 0;
  DurationNs time = 0;

  double Mean() const { return static_cast<double>(time) / static_cast<double>(steps); }
};

std::vector<Stretch> StretchesOf(std::span<const Step> steps, StepState state) {
  std::vector<Stretch> stretches;
  bool inside = false;
  for (const Step& step : steps) {
    if (step.state != state) {
      inside = false;
      continue;
    }
    if (!inside) stretches.emplace_back();
    inside = true;
    ++stretches.back().steps;
    stretches.back().time += step.duration;
  }
  std::sort(stretches.begin(), stretches.end(),
            [](const Stretch& a, const Stretch& b) { return a.Mean() < b.Mean(); });
  return stretches;
}

int64_t CountSteps(std::span<const Stretch> stretches) {
  return std::accumulate(stretches.begin(), stretches.end(), int64_t{0},
                         [](int64_t sum, const Stretch& stretch) { return sum + stretch.steps; });
}

// The median of the means of all stretches, each of which counts as often as it has steps; they are
// ordered by their means.
std::optional<DurationNs> MedianStep(std::span<const Stretch> stretches) {
  const int64_t all = CountSteps(stretches);
  if (all < kFewest) return std::nullopt;
  const auto mean_of = [&](int64_t step) {
    auto stretch = stretches.begin();
    for (; step >= stretch->steps; ++stretch) step -= stretch->steps;
    return stretch->Mean();
  };
  return static_cast<DurationNs>((mean_of((all - 1) / 2) + mean_of(all / 2)) / 2);
}

// Of values in any order, of which there must be one.
DurationNs Percentile(std::vector<DurationNs> values, size_t percent) {
  const auto at = values.begin() + static_cast<ptrdiff_t>((values.size() - 1) * percent / 100);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

void SetSpread(std::span<const Step> steps, std::span<const Stretch> stretches, CleanSteps& found) {
  if (stretches.size() > 1) {
    found.clean_low = static_cast<DurationNs>(stretches.front().Mean());
    found.clean_high = static_cast<DurationNs>(stretches.back().Mean());
    return;
  }
  std::vector<DurationNs> times;
  for (const Step& step : steps) {
    if (step.state == StepState::kClean) times.push_back(step.duration);
  }
  found.clean_low = Percentile(times, 10);
  found.clean_high = Percentile(std::move(times), 90);
}

// The text of a JSON string.
std::string Unquoted(std::string_view json) {
  if (json.size() >= 2 && json.front() == '"') json = json.substr(1, json.size() - 2);
  std::string text;
  for (size_t i = 0; i < json.size(); ++i) {
    if (json[i] == '\\' && i + 1 < json.size()) ++i;
    text += json[i];
  }
  return text;
}

// The reason that the agent gives for a lack of clean steps.
std::string RecordedReason(const Trace& trace, SourceId source) {
  const MetadataTable& t = trace.tables.metadata;
  for (size_t i = 0; i < t.key.size(); ++i) {
    if (t.source[i] == source && trace.Text(t.key[i]) == "clean_steps_missing") {
      return Unquoted(trace.Text(t.value[i]));
    }
  }
  return "";
}

std::string WhatIsMissing(const CleanSteps& found, const std::string& reason) {
  constexpr std::string_view kNotMeasured = "the step without the profiler could not be measured";
  // "No step was", "Only 1 step was", "Only 2 steps were".
  const auto few = [](int64_t steps, std::string_view one, std::string_view several) {
    if (steps == 0) return fmt::format("No step {}", one);
    return steps == 1 ? fmt::format("Only 1 step {}", one)
                      : fmt::format("Only {} steps {}", steps, several);
  };
  if (!found.clean_step) {
    if (!reason.empty()) return reason;
    if (found.boundary.empty()) return "";
    return fmt::format("{} without recording: {}.", few(found.clean_steps, "ran", "ran"),
                       kNotMeasured);
  }
  if (found.VariesTooMuch()) {
    return fmt::format(
        "The steps without recording vary more than tenfold, from {} to {}: their mean is "
        "uncertain, and what recording adds could not be measured.",
        FormatDuration(static_cast<double>(found.clean_low)),
        FormatDuration(static_cast<double>(found.clean_high)));
  }
  if (!found.recorded_step) {
    return fmt::format("{} recorded as a whole: what recording adds could not be measured.",
                       few(found.recorded_steps, "was", "were"));
  }
  return "";
}

}  // namespace

bool CleanSteps::VariesTooMuch() const {
  return clean_high > kTooVaried * std::max<DurationNs>(clean_low, 1);
}

std::optional<DurationNs> CleanSteps::Added() const {
  if (!clean_step || !recorded_step || VariesTooMuch()) return std::nullopt;
  return *recorded_step - *clean_step;
}

std::vector<uint32_t> StepsOf(const Trace& trace, SourceId source) {
  const StepTimesTable& t = trace.tables.step_times;
  std::map<std::pair<ThreadId, StringId>, std::vector<uint32_t>> groups;
  for (uint32_t i = 0; i < t.start.size(); ++i) {
    if (trace.SourceOf(t.thread[i]) == source) groups[{t.thread[i], t.boundary[i]}].push_back(i);
  }
  std::vector<uint32_t> most;
  for (auto& [key, rows] : groups) {
    if (rows.size() > most.size()) most = std::move(rows);
  }
  return most;
}

CleanSteps FindCleanSteps(const Trace& trace, SourceId source) {
  CleanSteps found;
  const StepTimesTable& t = trace.tables.step_times;
  std::vector<Step> steps;
  for (const uint32_t row : StepsOf(trace, source)) {
    steps.push_back({t.duration[row], t.state[row]});
    found.boundary = trace.Text(t.boundary[row]);
  }
  LeaveOutWarmUp(steps);
  const std::vector<Stretch> clean = StretchesOf(steps, StepState::kClean);
  const std::vector<Stretch> recorded = StretchesOf(steps, StepState::kRecorded);
  found.clean_steps = CountSteps(clean);
  found.recorded_steps = CountSteps(recorded);
  found.clean_stretches = static_cast<int64_t>(clean.size());
  const std::string reason = RecordedReason(trace, source);
  // If the agent knows why they are missing, those that there are do not count.
  if (reason.empty()) found.clean_step = MedianStep(clean);
  found.recorded_step = MedianStep(recorded);
  if (found.clean_step) SetSpread(steps, clean, found);
  found.missing = WhatIsMissing(found, reason);
  return found;
}

}  // namespace warpsight
