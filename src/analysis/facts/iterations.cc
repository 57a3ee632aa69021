#include "analysis/facts/iterations.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/facts/batch_size.h"
#include "analysis/facts/kernel_period.h"
#include "analysis/facts/marked_functions.h"
#include "analysis/facts/range_summary.h"
#include "analysis/facts/repeated_calls.h"
#include "base/intervals.h"

namespace warpsight {
namespace {

// The iterations of one source on the CPU's time axis, in order.
struct Found {
  IterationSource how = IterationSource::kNone;
  std::vector<Interval> ranges;
  std::string detail;  // the marker or op they rest on; why there is none
};

class Finder {
 public:
  Finder(const Trace& trace, RangeNames& names, const FactTables& facts, SourceId source)
      : trace_(trace), names_(names), facts_(facts), source_(source) {
    const HostRangesTable& host = trace.tables.host;
    for (size_t h = 0; h < host.start.size(); ++h) {
      if (trace.SourceOf(host.thread[h]) != source || host.kind[h] == HostKind::kSpan) continue;
      if (host.kind[h] == HostKind::kAnnotation) annotations_.push_back(h);
      Extend({host.start[h], host.start[h] + host.duration[h]});
    }
    const ApiCallsTable& api = trace.tables.api;
    for (size_t a = 0; a < api.start.size(); ++a) {
      if (trace.SourceOf(api.thread[a]) != source) continue;
      Extend({api.start[a], api.start[a] + api.duration[a]});
    }
  }

  Found Markers() const {
    Found found{IterationSource::kMarkers, {}, "ProfilerStep"};
    for (const size_t h : annotations_) {
      if (names_[trace_.tables.host.name[h]].step_marker) found.ranges.push_back(RangeOf(h));
    }
    if (found.ranges.empty()) found = StepAnnotations();
    if (found.ranges.empty()) found = NumberedRanges();
    if (found.ranges.empty()) found = ModelRuns();
    return found;
  }

  // Iterations end where the ranges called `name` end.
  Found KeyOp(std::string_view name) const {
    Found found{IterationSource::kKeyOp, {}, std::string(name)};
    const StringId id = trace_.strings.Find(name);
    std::vector<TimeNs> ends;
    const HostRangesTable& host = trace_.tables.host;
    for (size_t h = 0; IsSet(id) && h < host.start.size(); ++h) {
      if (host.name[h] == id && trace_.SourceOf(host.thread[h]) == source_) {
        ends.push_back(RangeOf(h).end);
      }
    }
    found.ranges = FromEnds(std::move(ends));
    return found;
  }

  Found Optimizer() const {
    Found found{IterationSource::kOptimizer, {}, "Optimizer.step"};
    std::vector<TimeNs> ends;
    for (const size_t h : annotations_) {
      if (names_[trace_.tables.host.name[h]].optimizer_step) ends.push_back(RangeOf(h).end);
    }
    // One step of the optimizer says that training goes on here, not how long an iteration is.
    if (ends.size() >= 2) found.ranges = FromEnds(std::move(ends));
    return found;
  }

  Found DataLoader() const {
    std::vector<TimeNs> starts;
    for (const size_t h : annotations_) {
      if (names_[trace_.tables.host.name[h]].loader_next) starts.push_back(RangeOf(h).start);
    }
    Found found{IterationSource::kDataLoader, {}, "the data loader's next"};
    if (starts.size() >= 2) found.ranges = FromStarts(std::move(starts));
    return found;
  }

  Found Period() const {
    Found found{IterationSource::kKernelPeriod, {}, ""};
    // Kernels in the order of their launches, with the time at which the launching op began.
    struct Launch {
      TimeNs time;
      StringId kernel;
    };
    std::vector<Launch> launches;
    const GpuActivitiesTable& gpu = trace_.tables.gpu;
    for (size_t g = 0; g < gpu.start.size(); ++g) {
      if (gpu.kind[g] != GpuKind::kKernel || trace_.SourceOf(gpu.stream[g]) != source_) continue;
      launches.push_back({LaunchTime(g), gpu.name[g]});
    }
    std::stable_sort(launches.begin(), launches.end(),
                     [](const Launch& a, const Launch& b) { return a.time < b.time; });
    std::vector<StringId> names;
    names.reserve(launches.size());
    for (const Launch& launch : launches) names.push_back(launch.kernel);
    const KernelPeriod period = FindKernelPeriod(names);
    if (period.count < 2) return found;
    std::vector<TimeNs> starts;
    for (size_t i = 0; i < period.count; ++i) {
      starts.push_back(launches[period.offset + i * period.length].time);
    }
    found.ranges = FromStarts(std::move(starts));
    // Repetitions inside one graph launch share their start: they are no iterations.
    if (found.ranges.size() < period.count) found.ranges.clear();
    found.detail = fmt::format("{} kernels each", period.length);
    return found;
  }

  Found RepeatedCalls() const {
    Found found{IterationSource::kRepeatedCalls, {}, ""};
    const std::vector<HostId> calls = FindRepeatedCalls(trace_, facts_, source_);
    for (size_t i = 0; i < calls.size(); ++i) {
      Interval range = RangeOf(Index(calls[i]));
      // What the program does between two calls belongs to the first; nobody knows after the last.
      if (i + 1 < calls.size()) range.end = RangeOf(Index(calls[i + 1])).start;
      found.ranges.push_back(range);
      found.detail = trace_.Text(trace_.tables.host.name[Index(calls[i])]);
    }
    return found;
  }

  Found Whole() const {
    Interval whole = activity_;
    const GpuActivitiesTable& gpu = trace_.tables.gpu;
    for (size_t g = 0; g < gpu.start.size(); ++g) {
      if (trace_.SourceOf(gpu.stream[g]) != source_) continue;
      whole.start = std::min(whole.start, gpu.start[g]);
      whole.end = std::max(whole.end, gpu.start[g] + gpu.duration[g]);
    }
    if (whole.end < whole.start) whole = {0, 0};
    return {IterationSource::kNone, {whole}, ""};
  }

  Interval activity() const {
    return activity_.end >= activity_.start ? activity_ : Interval{0, 0};
  }

 private:
  void Extend(Interval interval) {
    activity_.start = std::min(activity_.start, interval.start);
    activity_.end = std::max(activity_.end, interval.end);
  }

  Interval RangeOf(size_t h) const {
    const HostRangesTable& host = trace_.tables.host;
    return {host.start[h], host.start[h] + host.duration[h]};
  }

  // When the outermost op behind a GPU activity began; its call's or its own start without one.
  TimeNs LaunchTime(size_t g) const {
    const HostId op = facts_.gpu.op[g];
    if (IsSet(op)) {
      size_t h = Index(op);
      const HostId reported = facts_.host.op[h];
      if (IsSet(reported)) h = Index(reported);
      return trace_.tables.host.start[h];
    }
    const ApiId call = facts_.gpu.api[g];
    return IsSet(call) ? trace_.tables.api.start[Index(call)] : trace_.tables.gpu.start[g];
  }

  // The first iteration begins with the first activity; what follows the last end is no iteration.
  std::vector<Interval> FromEnds(std::vector<TimeNs> ends) const {
    std::sort(ends.begin(), ends.end());
    std::vector<Interval> ranges;
    TimeNs start = activity().start;
    for (const TimeNs end : ends) {
      if (end > start) ranges.push_back({start, end});
      start = std::max(start, end);
    }
    return ranges;
  }

  // What stands before the first start is no iteration; the last one ends with the last activity.
  std::vector<Interval> FromStarts(std::vector<TimeNs> starts) const {
    std::sort(starts.begin(), starts.end());
    starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
    std::vector<Interval> ranges;
    for (size_t i = 0; i < starts.size(); ++i) {
      const TimeNs end = i + 1 < starts.size() ? starts[i + 1] : activity().end;
      if (end > starts[i]) ranges.push_back({starts[i], end});
    }
    return ranges;
  }

  // JAX: ranges that carry a step number.
  Found StepAnnotations() const {
    Found found{IterationSource::kMarkers, {}, ""};
    const HostRangesTable& host = trace_.tables.host;
    for (const size_t h : annotations_) {
      if (!IsSet(host.extra[h])) continue;
      const std::string_view args =
          trace_.Text(trace_.tables.host_extras.args[Index(host.extra[h])]);
      if (args.find("\"step_num\"") == std::string_view::npos) continue;
      found.ranges.push_back(RangeOf(h));
      found.detail = trace_.Text(host.name[h]);
    }
    return found;
  }

  // ONNX Runtime: a range for each inference, all of the same name.
  Found ModelRuns() const {
    constexpr std::string_view kModelRun = "model_run";
    Found found{IterationSource::kMarkers, {}, std::string(kModelRun)};
    for (const size_t h : annotations_) {
      if (trace_.Text(trace_.tables.host.name[h]) == kModelRun) found.ranges.push_back(RangeOf(h));
    }
    if (found.ranges.size() < 2) found.ranges.clear();
    return found;
  }

  // Ranges of one thread whose names differ only in an increasing number at their end: the group
  // that covers the most time.
  Found NumberedRanges() const {
    struct Group {
      std::vector<Interval> ranges;
      int64_t last_number = -1;
      TimeNs last_end = kMissing;
      DurationNs covered = 0;
      bool regular = true;
    };
    std::map<std::pair<ThreadId, std::string_view>, Group> groups;
    for (const size_t h : annotations_) {
      const std::string_view name = trace_.Text(trace_.tables.host.name[h]);
      const size_t digits = name.find_last_not_of("0123456789") + 1;  // npos + 1 is 0
      if (digits == name.size() || name.size() - digits > 18) continue;
      int64_t number = 0;
      std::from_chars(name.data() + digits, name.data() + name.size(), number);
      Group& group = groups[{trace_.tables.host.thread[h], name.substr(0, digits)}];
      const Interval range = RangeOf(h);
      group.regular = group.regular && number > group.last_number &&
                      (group.last_end == kMissing || range.start >= group.last_end);
      group.last_number = number;
      group.last_end = range.end;
      group.covered += range.end - range.start;
      group.ranges.push_back(range);
    }
    Found found{IterationSource::kMarkers, {}, ""};
    DurationNs best = 0;
    for (const auto& [key, group] : groups) {
      if (!group.regular || group.ranges.size() < 2 || group.covered <= best) continue;
      best = group.covered;
      found.ranges = group.ranges;
      found.detail = key.second;
    }
    return found;
  }

  const Trace& trace_;
  RangeNames& names_;
  const FactTables& facts_;
  SourceId source_;
  std::vector<size_t> annotations_;
  Interval activity_{INT64_MAX, INT64_MIN};
};

Found FindForSource(const Trace& trace, RangeNames& names, const FactTables& facts, SourceId source,
                    bool marked_functions, const std::string& key_op) {
  const Finder finder(trace, names, facts, source);
  if (!key_op.empty()) return finder.KeyOp(key_op);
  Found found = finder.Markers();
  if (!found.ranges.empty()) return found;
  if (marked_functions) {
    found = finder.Whole();
    found.detail =
        "its functions are marked for DLProf, which needs --key-op to tell iterations apart";
    return found;
  }
  for (auto way :
       {&Finder::Optimizer, &Finder::DataLoader, &Finder::Period, &Finder::RepeatedCalls}) {
    found = (finder.*way)();
    if (!found.ranges.empty()) return found;
  }
  found = finder.Whole();
  found.detail =
      "no step markers, optimizer steps or data loader calls, and neither the sequence of kernels "
      "nor "
      "an outermost range repeats";
  return found;
}

// Marks rows whose time lies in an iteration of their source.
class Assigner {
 public:
  Assigner(const Trace& trace, const IterationsTable& iterations) {
    by_source_.resize(RowCount(trace.tables.sources));
    for (size_t i = 0; i < iterations.start.size(); ++i) {
      by_source_[Index(iterations.source[i])].push_back(
          {{iterations.start[i], iterations.end[i]}, MakeId<IterationId>(i)});
    }
  }

  // Rows come in timeline order mostly, so the last hit of a source is tried first.
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
    // The end belongs to the iteration: the last call of a step may begin just there.
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

void AssignRows(const Trace& trace, FactTables& facts) {
  Assigner assign(trace, facts.iterations);
  const auto column = [&](const auto& table, auto& target) {
    target.resize(table.start.size());
    for (size_t i = 0; i < target.size(); ++i) {
      target[i] = assign.At(trace.SourceOf(table.thread[i]), table.start[i]);
    }
  };
  column(trace.tables.host, facts.host.iteration);
  column(trace.tables.api, facts.api.iteration);
  const GpuActivitiesTable& gpu = trace.tables.gpu;
  facts.gpu.iteration.resize(gpu.start.size());
  // Work that runs before any whose launch was recorded was launched before the recording began: a
  // GPU that lags behind has steps in its queue that belong to no iteration of this trace.
  std::vector<bool> recorded(RowCount(trace.tables.sources));
  std::vector<bool> launches(recorded.size());
  for (size_t g = 0; g < gpu.start.size(); ++g) {
    if (IsSet(facts.gpu.api[g])) launches[Index(trace.SourceOf(gpu.stream[g]))] = true;
  }
  for (size_t g = 0; g < gpu.start.size(); ++g) {
    IterationId& iteration = facts.gpu.iteration[g];
    const SourceId source = trace.SourceOf(gpu.stream[g]);
    if (IsSet(facts.gpu.api[g])) {
      iteration = facts.api.iteration[Index(facts.gpu.api[g])];
      recorded[Index(source)] = true;
    } else if (IsSet(facts.gpu.op[g])) {
      iteration = facts.host.iteration[Index(facts.gpu.op[g])];
    } else if (launches[Index(source)] && !recorded[Index(source)]) {
      iteration = kNone<IterationId>;
    } else {
      iteration = assign.At(source, gpu.start[g]);
    }
    if (!IsSet(iteration)) continue;
    TimeNs& end = facts.iterations.gpu_end[Index(iteration)];
    end = std::max(end, gpu.start[g] + gpu.duration[g]);
  }
}

// Leading iterations that are far from the median are warm-up: metrics.md, "Iterations".
int64_t FirstSteady(const std::vector<DurationNs>& times) {
  if (times.size() < 3) return 0;
  const auto median_of = [](std::vector<DurationNs> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(values.size() / 2),
                     values.end());
    return values[values.size() / 2];
  };
  const DurationNs median = median_of(times);
  std::vector<DurationNs> deviations;
  deviations.reserve(times.size());
  for (const DurationNs t : times) deviations.push_back(std::abs(t - median));
  const DurationNs bound = std::max(5 * median_of(deviations), median / 5);
  int64_t first = 0;
  while (first + 1 < static_cast<int64_t>(times.size()) &&
         std::abs(times[static_cast<size_t>(first)] - median) > bound) {
    ++first;
  }
  return first;
}

std::string Explain(const Found& found, int64_t total, int64_t first, bool chosen) {
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
      return "one iteration over the whole trace: " + found.detail;
  }
  if (chosen) {
    text += "; the range was given";
  } else if (first > 0) {
    text += first == 1 ? "; iteration 0 is left out as warm-up"
                       : fmt::format("; iterations 0 to {} are left out as warm-up", first - 1);
  }
  return text;
}

}  // namespace

Status FindIterations(Trace& trace, const IterationOptions& options, RangeNames& names,
                      FactTables& facts) {
  IterationsTable& table = facts.iterations;
  Found common;  // of the first source that has any: reports name one way for the whole profile
  int64_t total = 0;
  std::vector<DurationNs> times;
  const std::vector<bool> marked = SourcesWithMarkedFunctions(trace);
  const std::vector<bool> timeline = SourcesWithTimeline(trace);
  const bool any_timeline = CountSourcesWithTimeline(trace) > 0;
  for (size_t s = 0; s < RowCount(trace.tables.sources); ++s) {
    if (any_timeline && !timeline[s]) continue;  // hardware counters have no steps
    Found found =
        FindForSource(trace, names, facts, MakeId<SourceId>(s), marked[s], options.key_op);
    for (size_t i = 0; i < found.ranges.size(); ++i) {
      table.source.push_back(MakeId<SourceId>(s));
      table.number.push_back(static_cast<int64_t>(i));
      table.start.push_back(found.ranges[i].start);
      table.end.push_back(found.ranges[i].end);
      table.gpu_end.push_back(found.ranges[i].start);
    }
    if (static_cast<int64_t>(found.ranges.size()) > total) {
      total = static_cast<int64_t>(found.ranges.size());
      times.clear();
      for (const Interval& range : found.ranges) times.push_back(range.end - range.start);
      common = std::move(found);
    }
  }
  if (!options.key_op.empty() && total == 0) {
    return Error{fmt::format("key op: no op or range is called '{}' in this trace", options.key_op),
                 "unknown-key-op"};
  }
  AssignRows(trace, facts);

  const int64_t last = options.last.value_or(total - 1);
  const int64_t first = options.first.value_or(std::min(FirstSteady(times), last));
  if (first < 0 || last >= total || first > last) {
    return Error{fmt::format("iterations {} to {} were asked for, but the trace has {} (0 to {})",
                             first, last, total, total - 1),
                 "impossible-range"};
  }
  AggregationsTable& aggregations = facts.aggregations;
  aggregations.first.push_back(first);
  aggregations.last.push_back(last);
  aggregations.source.push_back(common.how);
  aggregations.key_op.push_back(trace.strings.Intern(options.key_op));
  aggregations.explanation.push_back(trace.strings.Intern(
      Explain(common, total, first, options.first.has_value() || options.last.has_value())));
  aggregations.batch_size.push_back(options.batch_size != kMissing ? options.batch_size
                                                                   : GuessBatchSize(trace, facts));
  return {};
}

}  // namespace warpsight
