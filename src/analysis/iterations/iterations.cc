#include "analysis/iterations/iterations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "analysis/facts/marked_functions.h"
#include "analysis/iterations/aggregated_range.h"
#include "analysis/iterations/batch_size.h"
#include "analysis/iterations/gpu_windows.h"
#include "analysis/iterations/iteration_finder.h"
#include "analysis/iterations/warm_up.h"
#include "base/intervals.h"
#include "model/clean_stretches.h"

namespace warpsight {
namespace {

// Assigns rows to the iteration of their source that contains their time.
class Assigner {
 public:
  Assigner(const Trace& trace, const IterationsTable& iterations) {
    by_source_.resize(RowCount(trace.tables.sources));
    for (size_t i = 0; i < iterations.start.size(); ++i) {
      by_source_[Index(iterations.source[i])].push_back(
          {{iterations.start[i], iterations.end[i]}, MakeId<IterationId>(i)});
    }
  }

  // Rows are mostly in timeline order, so the iteration of the previous row is tried first.
  IterationId At(SourceId source, TimeNs time) {
    auto& list = by_source_[Index(source)];
    if (list.empty()) return kNone<IterationId>;
    if (hint_.size() < by_source_.size()) hint_.resize(by_source_.size());
    size_t& hint = hint_[Index(source)];
    if (!(list[hint].range.start <= time && time < list[hint].range.end)) {
      const auto it = std::partition_point(
          list.begin(), list.end(), [&](const Entry& entry) { return entry.range.start <= time; });
      if (it == list.begin()) return kNone<IterationId>;
      hint = static_cast<size_t>(it - list.begin()) - 1;
    }
    // The end belongs to the iteration, since the last call of a step may begin exactly there.
    return time <= list[hint].range.end ? list[hint].id : kNone<IterationId>;
  }

 private:
  struct Entry {
    Interval range;
    IterationId id;
  };
  std::vector<std::vector<Entry>> by_source_;
  std::vector<size_t> hint_;
};

// How the iterations of a source were found, which determines what belongs to them.
struct SourceIterations {
  bool on_gpu = false;  // by the time at which GPU work ran
  bool whole = false;   // a single iteration contains everything
};

// When recording began again before a time: the end of the last clean stretch before it, or 0.
TimeNs RecordedSince(const IntervalSet& clean, TimeNs time) {
  const auto after =
      std::partition_point(clean.intervals().begin(), clean.intervals().end(),
                           [&](const Interval& stretch) { return stretch.end <= time; });
  return after == clean.intervals().begin() ? 0 : (after - 1)->end;
}

void AssignRows(const Trace& trace, const std::vector<SourceIterations>& sources,
                FactTables& facts) {
  Assigner assign(trace, facts.iterations);
  const auto column = [&](const auto& table, SharedColumn<IterationId>& target) {
    Column<IterationId> iterations(table.start.size());
    for (size_t i = 0; i < iterations.size(); ++i) {
      iterations[i] = assign.At(trace.SourceOf(table.thread[i]), table.start[i]);
    }
    target.Set(std::move(iterations));
  };
  column(trace.tables.host, facts.host.iteration);
  column(trace.tables.api, facts.api.iteration);
  const GpuActivitiesTable& gpu = trace.tables.gpu;
  Column<IterationId> of_gpu(gpu.start.size());
  // Work that runs before any whose launch was recorded was launched before the recording began: a
  // GPU that lags behind has steps in its queue that belong to no iteration of this trace. The same
  // holds after a clean stretch.
  std::vector<TimeNs> last_launch(RowCount(trace.tables.sources), kMissing);
  std::vector<bool> launches(last_launch.size());
  const std::vector<IntervalSet> clean = CleanStretches(trace);
  for (size_t g = 0; g < gpu.start.size(); ++g) {
    if (IsSet(facts.gpu.api[g])) launches[Index(trace.SourceOf(gpu.stream[g]))] = true;
  }
  for (size_t g = 0; g < gpu.start.size(); ++g) {
    IterationId& iteration = of_gpu[g];
    const SourceId source = trace.SourceOf(gpu.stream[g]);
    const SourceIterations& its = sources[Index(source)];
    if (its.on_gpu || its.whole) {
      iteration = assign.At(source, gpu.start[g]);
    } else if (IsSet(facts.gpu.api[g])) {
      iteration = facts.api.iteration[Index(facts.gpu.api[g])];
      TimeNs& last = last_launch[Index(source)];
      last = std::max(last, trace.tables.api.start[Index(facts.gpu.api[g])]);
    } else if (IsSet(facts.gpu.op[g])) {
      iteration = facts.host.iteration[Index(facts.gpu.op[g])];
    } else if (launches[Index(source)] &&
               last_launch[Index(source)] < RecordedSince(clean[Index(source)], gpu.start[g])) {
      iteration = kNone<IterationId>;
    } else {
      iteration = assign.At(source, gpu.start[g]);
    }
    if (!IsSet(iteration)) continue;
    TimeNs& end = facts.iterations.gpu_end[Index(iteration)];
    end = std::max(end, gpu.start[g] + gpu.duration[g]);
  }
  facts.gpu.iteration.Set(std::move(of_gpu));
}

// Describes steps: "3 decode, 1 mixed; 32 sequences each".
std::string DescribeServing(const std::vector<ServingStep>& steps) {
  std::array<int64_t, kServingPhases> phases{};
  int64_t fewest = INT64_MAX, most = 0;
  for (const ServingStep& step : steps) {
    ++phases[static_cast<size_t>(step.phase)];
    if (step.sequences == kMissing) continue;
    fewest = std::min(fewest, step.sequences);
    most = std::max(most, step.sequences);
  }
  std::string text;
  for (size_t p = 0; p < phases.size(); ++p) {
    if (phases[p] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", phases[p],
                        ToString(static_cast<ServingPhase>(p)));
  }
  if (fewest > most) return text;
  const std::string count =
      fewest == most ? fmt::format("{}", most) : fmt::format("{} to {}", fewest, most);
  return text + fmt::format("; {} sequence{}{}", count, most == 1 ? "" : "s",
                            steps.size() > 1 ? " each" : "");
}

// `runs`: the number of recorded parts between clean stretches.
std::string Explain(const FoundIterations& found, int64_t total, IterationRange range, bool chosen,
                    size_t runs, const std::string& set_up) {
  std::string text = fmt::format("{} iteration{}, ", total, total == 1 ? "" : "s");
  switch (found.how) {
    case IterationSource::kMarkers:
      text += fmt::format("marked by {}", found.detail);
      break;
    case IterationSource::kKeyOp:
    case IterationSource::kOptimizer:
      text += fmt::format("each ending with {}", found.detail);
      break;
    case IterationSource::kDataLoader:
    case IterationSource::kRepeatedCalls:
      text += fmt::format("each beginning with {}", found.detail);
      break;
    case IterationSource::kKernelPeriod:
      text += fmt::format("found where the sequence of kernels repeats ({})", found.detail);
      break;
    case IterationSource::kNone:
      return fmt::format("one iteration over the {}: {}",
                         found.longest_part ? "longest recorded stretch" : "whole trace",
                         found.detail);
  }
  if (!found.serving.empty()) text += fmt::format(" ({})", DescribeServing(found.serving));
  if (runs > 1) text += fmt::format(" in {} recorded stretches", runs);
  if (chosen) {
    text += "; the range was given";
  } else if (runs > 1) {
    text += fmt::format("; the range is one of these stretches, iterations {} to {}", range.first,
                        range.last);
  } else if (range.first > 0) {
    text += range.first == 1
                ? "; iteration 0 is left out as warm-up"
                : fmt::format("; iterations 0 to {} are left out as warm-up", range.first - 1);
  }
  if (!set_up.empty()) text += fmt::format(" ({})", set_up);
  return text;
}

std::vector<DurationNs> TimesOf(const FactTables& facts, SourceId source) {
  const std::vector<DurationNs> lengths = IterationLengths(facts);
  std::vector<DurationNs> times;
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (facts.iterations.source[i] == source) times.push_back(lengths[i]);
  }
  return times;
}

// The mean number of sequences per step of a server, which is its batch size; tokens are not
// samples.
int64_t MeanSequences(const std::vector<ServingStep>& steps, int64_t first, int64_t last) {
  int64_t sum = 0;
  for (int64_t i = first; i <= last; ++i) {
    const int64_t sequences = steps[static_cast<size_t>(i)].sequences;
    if (sequences == kMissing) return kMissing;
    sum += sequences;
  }
  const int64_t count = last - first + 1;
  return sum == 0 ? kMissing : (sum + count / 2) / count;
}

// Every GPU with work has a window for each iteration of its source, and most windows contain work.
// A small damaged file could have so many GPUs and iterations with almost no work that all windows
// would not fit into memory.
Status CheckWindows(const Trace& trace, const std::vector<int64_t>& iterations) {
  constexpr int64_t kMostEmptyWindows = 1 << 20;
  const TraceTables& tables = trace.tables;
  std::vector<bool> has_work(RowCount(tables.devices));
  for (const StreamId stream : tables.gpu.stream) has_work[Index(trace.DeviceOf(stream))] = true;
  int64_t windows = 0;
  for (size_t device = 0; device < has_work.size(); ++device) {
    const SourceId source = tables.devices.source[device];
    if (has_work[device]) windows += iterations[Index(source)];
    if (windows <= kMostEmptyWindows + static_cast<int64_t>(RowCount(tables.gpu))) continue;
    return Error{
        fmt::format("{}: it has {} iterations, almost all of them without work on almost all "
                    "of its GPUs; the file is damaged, or --key-op does not name an iteration",
                    trace.Text(tables.sources.path[Index(source)]), iterations[Index(source)]),
        "impossible-range"};
  }
  return {};
}

}  // namespace

Status FindIterations(Trace& trace, const IterationOptions& options, RangeNames& names,
                      FactTables& facts) {
  IterationsTable& table = facts.iterations;
  // Those of the first source that has any: reports describe one method for the profile.
  FoundIterations common;
  SourceId common_source{0};
  int64_t total = 0;
  std::vector<SourceIterations> sources(RowCount(trace.tables.sources));
  const std::vector<bool> marked = SourcesWithMarkedFunctions(trace);
  const std::vector<bool> timeline = SourcesWithTimeline(trace);
  const bool any_timeline = CountSourcesWithTimeline(trace) > 0;
  for (size_t s = 0; s < sources.size(); ++s) {
    if (any_timeline && !timeline[s]) continue;  // hardware counters have no steps
    FoundIterations found =
        FindIterationsOf(trace, names, facts, MakeId<SourceId>(s), marked[s], options.key_op);
    sources[s] = {found.on_gpu, found.how == IterationSource::kNone};
    for (size_t i = 0; i < found.ranges.size(); ++i) {
      table.source.push_back(MakeId<SourceId>(s));
      table.number.push_back(static_cast<int64_t>(i));
      table.start.push_back(found.ranges[i].start);
      table.end.push_back(found.ranges[i].end);
      table.gpu_end.push_back(found.ranges[i].start);
    }
    if (static_cast<int64_t>(found.ranges.size()) > total) {
      total = static_cast<int64_t>(found.ranges.size());
      common_source = MakeId<SourceId>(s);
      common = std::move(found);
    }
  }
  if (!options.key_op.empty() && total == 0) {
    return Error{fmt::format("key op: no op or range is called '{}' in this trace", options.key_op),
                 "unknown-key-op"};
  }
  std::vector<int64_t> counts(sources.size());
  for (const SourceId source : table.source) ++counts[Index(source)];
  if (Status status = CheckWindows(trace, counts); !status.ok()) return status;
  AssignRows(trace, sources, facts);
  std::vector<bool> whole;
  whole.reserve(sources.size());
  for (const SourceIterations& source : sources) whole.push_back(source.whole);
  FindWindows(trace, whole, facts);

  const std::vector<IterationRange> runs = RunsBetweenCleanStretches(trace, table, total);
  const CandidateIterations candidates{common_source, total, TimesOf(facts, common_source),
                                       common.serving};
  const Result<IterationRange> range =
      ChooseRange(trace, table, runs, candidates, options.first, options.last);
  if (!range.ok()) return range.error();
  AggregationsTable& aggregations = facts.aggregations;
  aggregations.first.push_back(range->first);
  aggregations.last.push_back(range->last);
  aggregations.source.push_back(common.how);
  aggregations.key_op.push_back(trace.strings.Intern(options.key_op));
  const bool chosen = options.first.has_value() || options.last.has_value();
  aggregations.explanation.push_back(trace.strings.Intern(
      Explain(common, total, *range, chosen, runs.size(),
              chosen || range->first == 0 || range->first > runs.front().last
                  ? ""
                  : DescribeSetUp(ProfileView(trace, facts), common_source, range->first))));
  int64_t batch_size = options.batch_size;
  if (batch_size == kMissing) {
    batch_size = common.serving.empty() ? GuessBatchSize(trace, facts)
                                        : MeanSequences(common.serving, range->first, range->last);
  }
  aggregations.batch_size.push_back(batch_size);
  return {};
}

}  // namespace warpsight
