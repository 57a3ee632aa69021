#include "analysis/iterations/aggregated_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "analysis/facts/clean_steps.h"
#include "analysis/iterations/warm_up.h"
#include "base/intervals.h"
#include "model/clean_stretches.h"

namespace warpsight {
namespace {

Error Impossible(std::string text) { return Error{std::move(text), "impossible-range"}; }

// The run of an iteration that exists.
const IterationRange& RunOf(const std::vector<IterationRange>& runs, int64_t iteration) {
  return *std::find_if(runs.begin(), runs.end(),
                       [&](const IterationRange& run) { return iteration <= run.last; });
}

// By number: whether recording began or ended in this iteration of the source.
std::vector<bool> PartlyRecorded(const Trace& trace, const IterationsTable& iterations,
                                 const CandidateIterations& candidates) {
  std::vector<bool> partly(static_cast<size_t>(candidates.total));
  const StepTimesTable& t = trace.tables.step_times;
  IntervalSet neither;
  for (const uint32_t row : StepsOf(trace, candidates.source)) {
    if (t.state[row] == StepState::kNeither) {
      neither.Append({t.start[row], t.start[row] + t.duration[row]});
    }
  }
  for (size_t i = 0; i < iterations.start.size(); ++i) {
    if (iterations.source[i] != candidates.source) continue;
    const TimeNs middle = iterations.start[i] + (iterations.end[i] - iterations.start[i]) / 2;
    partly[static_cast<size_t>(iterations.number[i])] = neither.Contains(middle);
  }
  return partly;
}

IterationRange LongestRun(const Trace& trace, const IterationsTable& iterations,
                          const std::vector<IterationRange>& runs,
                          const CandidateIterations& candidates) {
  const std::vector<bool> partly = PartlyRecorded(trace, iterations, candidates);
  std::optional<IterationRange> longest;
  for (IterationRange run : runs) {
    while (run.first < run.last && partly[static_cast<size_t>(run.first)]) ++run.first;
    while (run.first < run.last && partly[static_cast<size_t>(run.last)]) --run.last;
    run.first = SkipWarmUp(candidates.times, candidates.serving, run.first, run.last);
    if (!longest || run.last - run.first >= longest->last - longest->first) longest = run;
  }
  return *longest;
}

}  // namespace

std::vector<IterationRange> RunsBetweenCleanStretches(const Trace& trace,
                                                      const IterationsTable& iterations,
                                                      int64_t total) {
  const std::vector<IntervalSet> clean = CleanStretches(trace);
  std::vector<int64_t> firsts = {0};
  for (size_t i = 1; i < iterations.start.size(); ++i) {
    const SourceId source = iterations.source[i];
    if (iterations.source[i - 1] == source &&
        clean[Index(source)].LengthWithin({iterations.end[i - 1], iterations.start[i]}) > 0) {
      firsts.push_back(iterations.number[i]);
    }
  }
  std::sort(firsts.begin(), firsts.end());
  firsts.erase(std::unique(firsts.begin(), firsts.end()), firsts.end());
  std::vector<IterationRange> runs;
  runs.reserve(firsts.size());
  for (size_t i = 0; i < firsts.size(); ++i) {
    runs.push_back({firsts[i], (i + 1 < firsts.size() ? firsts[i + 1] : total) - 1});
  }
  return runs;
}

Result<IterationRange> ChooseRange(const Trace& trace, const IterationsTable& iterations,
                                   const std::vector<IterationRange>& runs,
                                   const CandidateIterations& candidates,
                                   std::optional<int64_t> first, std::optional<int64_t> last) {
  const int64_t total = candidates.total;
  if (total == 0) return Impossible("no iteration was recorded as a whole");
  for (const std::optional<int64_t>& chosen : {first, last}) {
    if (!chosen || (*chosen >= 0 && *chosen < total)) continue;
    return Impossible(fmt::format("iteration {} was requested, but the trace has {} (0 to {})",
                                  *chosen, total, total - 1));
  }
  if (first && last && *first > *last) {
    return Impossible(fmt::format("the first iteration, {}, is after the last, {}", *first, *last));
  }
  if (!first && !last) {
    if (runs.size() > 1) return LongestRun(trace, iterations, runs, candidates);
    return IterationRange{SkipWarmUp(candidates.times, candidates.serving, 0, total - 1),
                          total - 1};
  }
  if (!first) {
    const IterationRange& run = RunOf(runs, *last);
    return IterationRange{SkipWarmUp(candidates.times, candidates.serving, run.first, *last),
                          *last};
  }
  const IterationRange& run = RunOf(runs, *first);
  if (last && *last > run.last) {
    const IterationRange& other = RunOf(runs, *last);
    return Impossible(fmt::format(
        "iterations {} to {} were requested, but between {} and {} the program ran without being "
        "recorded; a range can be within {} to {} or within {} to {}",
        *first, *last, run.last, run.last + 1, run.first, run.last, other.first, other.last));
  }
  return IterationRange{*first, last.value_or(run.last)};
}

}  // namespace warpsight
