#include "analysis/iterations/iteration_finder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "analysis/facts/clean_steps.h"
#include "analysis/iterations/kernel_period.h"
#include "analysis/iterations/repeated_calls.h"
#include "analysis/iterations/step_signs.h"
#include "base/statistics.h"
#include "model/clean_stretches.h"

namespace warpsight {
namespace {

// The share of the kernels whose launches must be known to place iterations on the CPU's time axis.
constexpr double kLaunchesKnown = 0.97;

// The numbers in a name; `pattern` receives the name with # in their places. Empty if a number is
// too long to be a count, such as an address or a hash.
std::vector<int64_t> NumbersIn(std::string_view name, std::string& pattern) {
  std::vector<int64_t> numbers;
  constexpr std::string_view kDigits = "0123456789";
  pattern.clear();
  while (!name.empty()) {
    const size_t digits = name.find_first_of(kDigits);
    pattern += name.substr(0, digits);
    if (digits == name.npos) break;
    name.remove_prefix(digits);
    const size_t length = std::min(name.find_first_not_of(kDigits), name.size());
    int64_t number = 0;
    if (length > 18) return {};
    std::from_chars(name.data(), name.data() + length, number);
    numbers.push_back(number);
    pattern += '#';
    name.remove_prefix(length);
  }
  return numbers;
}

class Finder {
 public:
  Finder(const Trace& trace, RangeNames& names, const FactTables& facts, SourceId source)
      : trace_(trace),
        names_(names),
        facts_(facts),
        source_(source),
        clean_(CleanStretches(trace)[Index(source)]) {
    const HostRangesTable& host = trace.tables.host;
    for (size_t h = 0; h < host.start.size(); ++h) {
      if (trace.SourceOf(host.thread[h]) != source) continue;
      Extend(whole_, RangeOf(h));
      if (host.kind[h] == HostKind::kSpan) continue;
      if (host.kind[h] == HostKind::kAnnotation) annotations_.push_back(h);
      Extend(activity_, RangeOf(h));
    }
    const ApiCallsTable& api = trace.tables.api;
    for (size_t a = 0; a < api.start.size(); ++a) {
      if (trace.SourceOf(api.thread[a]) != source) continue;
      Extend(activity_, {api.start[a], api.start[a] + api.duration[a]});
    }
    Extend(whole_, activity_);
    const GpuActivitiesTable& gpu = trace.tables.gpu;
    for (size_t g = 0; g < gpu.start.size(); ++g) {
      if (trace.SourceOf(gpu.stream[g]) != source) continue;
      Extend(whole_, {gpu.start[g], gpu.start[g] + gpu.duration[g]});
    }
  }

  FoundIterations Markers() const {
    FoundIterations serving = ServingRanges();
    FoundIterations found = FromRanges(
        [&](size_t h) { return names_[trace_.tables.host.name[h]].step_marker; }, "ProfilerStep");
    if (serving.ranges.size() >= std::max<size_t>(1, found.ranges.size())) return serving;
    if (found.ranges.empty()) found = StepAnnotations();
    if (found.ranges.empty()) found = NumberedRanges();
    if (found.ranges.empty()) found = ModelRuns();
    if (found.ranges.empty()) found = StepArguments();
    return found;
  }

  // Iterations end where the ranges called `name` end.
  FoundIterations KeyOp(std::string_view name) const {
    FoundIterations found{IterationSource::kKeyOp, {}, std::string(name)};
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

  FoundIterations Optimizer() const {
    // A model may have several optimizers; each steps once per iteration, and the last one ends it.
    std::map<StringId, std::vector<Interval>> by_name;
    for (const size_t h : OfOneThread(
             [&](size_t row) { return names_[trace_.tables.host.name[row]].optimizer_step; })) {
      by_name[trace_.tables.host.name[h]].push_back(RangeOf(h));
    }
    FoundIterations found{IterationSource::kOptimizer, {}, "Optimizer.step"};
    for (auto& [name, ranges] : by_name) {
      if (std::pair(ranges.size(), ranges.back().end) >
          std::pair(found.ranges.size(), found.ranges.empty() ? 0 : found.ranges.back().end)) {
        found.ranges = std::move(ranges);
      }
    }
    std::vector<TimeNs> ends;
    for (const Interval& range : found.ranges) ends.push_back(range.end);
    // A single optimizer step shows that the program trains, but not how long an iteration is.
    found.ranges = ends.size() >= 2 ? FromEnds(std::move(ends)) : std::vector<Interval>();
    return found;
  }

  FoundIterations DataLoader() const {
    FoundIterations found =
        FromRanges([&](size_t h) { return names_[trace_.tables.host.name[h]].loader_next; },
                   "the data loader's next");
    found.how = IterationSource::kDataLoader;
    std::vector<TimeNs> starts;
    for (const Interval& range : found.ranges) starts.push_back(range.start);
    found.ranges = starts.size() >= 2 ? FromStarts(std::move(starts), activity().end)
                                      : std::vector<Interval>();
    return found;
  }

  // The steps that the recording timed by itself, to alternate between stretches.
  FoundIterations TimedSteps() const {
    FoundIterations found{IterationSource::kMarkers, {}, ""};
    if (clean_.empty()) return found;
    const StepTimesTable& t = trace_.tables.step_times;
    for (const uint32_t row : StepsOf(trace_, source_)) {
      if (t.state[row] != StepState::kRecorded) continue;
      found.ranges.push_back({t.start[row], t.start[row] + t.duration[row]});
      found.detail = trace_.Text(t.boundary[row]);
    }
    return found;
  }

  // Repetitions in the sequence of kernels, in the order of their launches. Clean stretches
  // interrupt the sequence: the longest part of it shows what repeats.
  FoundIterations Period() const {
    FoundIterations found{IterationSource::kKernelPeriod, {}, ""};
    const std::vector<Launch> launches = Launches(found.on_gpu);
    const std::vector<std::span<const Launch>> parts = BetweenCleanStretches(launches);
    if (parts.empty()) return found;
    const auto longest =
        std::max_element(parts.begin(), parts.end(),
                         [](const auto& a, const auto& b) { return a.size() < b.size(); });
    const std::vector<KernelPeriod> periods = PeriodsOf(*longest);
    if (periods.empty()) return found;
    const StepSigns signs(trace_, names_, facts_, source_, found.on_gpu);
    for (size_t p = 0; p < periods.size(); ++p) {
      std::vector<Interval> ranges = Repetitions(*longest, periods[p]);
      // Repetitions inside one graph launch have the same start, so they are not iterations.
      if (ranges.size() < periods[p].count) continue;
      if (!AreSteps(ranges, periods, p, signs)) continue;
      for (const std::span<const Launch> part : parts) {
        ranges = part.data() == longest->data() ? Repetitions(part, periods[p])
                                                : RepetitionsOfLength(part, periods[p].length);
        if (ranges.empty()) continue;
        ranges.back().end = RecordedUntil(part.back().time, found.on_gpu);
        found.ranges.insert(found.ranges.end(), ranges.begin(), ranges.end());
      }
      found.detail = fmt::format("{} kernels each", periods[p].length);
      return found;
    }
    return found;
  }

  FoundIterations RepeatedCalls() const {
    FoundIterations found{IterationSource::kRepeatedCalls, {}, ""};
    const HostRangesTable& host = trace_.tables.host;
    const std::vector<std::vector<HostId>> groups = FindRepeatedCalls(trace_, facts_, source_);
    if (groups.empty()) return found;
    const StepSigns signs(trace_, names_, facts_, source_, false);
    for (const std::vector<HostId>& calls : groups) {
      std::vector<Interval> ranges;
      ranges.reserve(calls.size());
      for (const HostId call : calls) ranges.push_back(RangeOf(Index(call)));
      LastUntilTheNext(ranges);
      const std::string_view name = trace_.Text(host.name[Index(calls.front())]);
      const bool part = host.kind[Index(calls.front())] == HostKind::kAnnotation &&
                        HintOf(name) == NameHint::kPart;
      if (part || signs.ArePartsOfOnePass(ranges)) continue;
      found.ranges = std::move(ranges);
      found.detail = name;
      return found;
    }
    return found;
  }

  // A single range whose name says that it is a step, and that launches most of the GPU work.
  FoundIterations OneNamedStep() const {
    FoundIterations found{IterationSource::kMarkers, {}, ""};
    Interval longest;
    for (const size_t h : annotations_) {
      const std::string_view name = trace_.Text(trace_.tables.host.name[h]);
      if (name.empty() || name.back() < '0' || name.back() > '9') continue;
      const Interval range = RangeOf(h);
      if (range.end - range.start <= longest.end - longest.start) continue;
      if (HintOf(name) != NameHint::kStep) continue;
      longest = range;
      found.detail = name;
    }
    if (longest.end == longest.start) return found;
    size_t all = 0, inside = 0;
    for (size_t g = 0; g < facts_.gpu.api.size(); ++g) {
      if (trace_.SourceOf(trace_.tables.gpu.stream[g]) != source_) continue;
      ++all;
      const ApiId call = facts_.gpu.api[g];
      if (!IsSet(call)) continue;
      const TimeNs time = trace_.tables.api.start[Index(call)];
      inside += longest.start <= time && time < longest.end ? 1 : 0;
    }
    if (2 * inside > all) found.ranges = {longest};
    return found;
  }

  // Everything; if there are clean stretches, the longest part between two of them.
  FoundIterations Whole() const {
    FoundIterations found{IterationSource::kNone, {}, ""};
    Interval longest = whole_.end < whole_.start ? Interval{0, 0} : whole_;
    found.longest_part = clean_.LengthWithin(longest) > 0;
    if (found.longest_part) {
      const IntervalSet recorded = IntervalSet::FromSorted({&longest, 1}).Subtract(clean_);
      longest = {longest.start, longest.start};
      for (const Interval& part : recorded.intervals()) {
        if (part.end - part.start > longest.end - longest.start) longest = part;
      }
    }
    found.ranges = {longest};
    return found;
  }

  // Leaves out iterations that overlap a clean stretch. One that merely ends or begins a moment
  // inside it is shortened: recording ends and begins at boundaries between steps.
  void LeaveOutUnrecorded(FoundIterations& found) const {
    constexpr DurationNs kMoment = 10;  // at most the tenth part of the iteration; our choice
    if (clean_.empty()) return;
    size_t kept = 0;
    for (size_t i = 0; i < found.ranges.size(); ++i) {
      Interval range = found.ranges[i];
      const DurationNs inside = clean_.LengthWithin(range);
      if (inside > 0) {
        if (inside > (range.end - range.start) / kMoment) continue;
        const IntervalSet recorded = IntervalSet::FromSorted({&range, 1}).Subtract(clean_);
        if (recorded.intervals().size() != 1) continue;
        range = recorded.intervals().front();
      }
      found.ranges[kept] = range;
      if (!found.serving.empty()) found.serving[kept] = found.serving[i];
      ++kept;
    }
    found.ranges.resize(kept);
    if (!found.serving.empty()) found.serving.resize(kept);
  }

 private:
  struct Launch {
    TimeNs time;
    StringId kernel;
  };

  static void Extend(Interval& to, Interval interval) {
    to.start = std::min(to.start, interval.start);
    to.end = std::max(to.end, interval.end);
  }

  Interval activity() const {
    return activity_.end >= activity_.start ? activity_ : Interval{0, 0};
  }

  Interval RangeOf(size_t h) const {
    const HostRangesTable& host = trace_.tables.host;
    return {host.start[h], host.start[h] + host.duration[h]};
  }

  // The annotations that `wanted` selects, on the thread that has most of them: a file may contain
  // several ranks with their own annotations.
  template <typename Wanted>
  std::vector<size_t> OfOneThread(Wanted&& wanted) const {
    std::map<ThreadId, std::vector<size_t>> by_thread;
    for (const size_t h : annotations_) {
      if (wanted(h)) by_thread[trace_.tables.host.thread[h]].push_back(h);
    }
    std::vector<size_t> most;
    for (auto& [thread, rows] : by_thread) {
      if (rows.size() > most.size()) most = std::move(rows);
    }
    std::sort(most.begin(), most.end(), [this](size_t a, size_t b) {
      return std::pair(RangeOf(a).start, a) < std::pair(RangeOf(b).start, b);
    });
    return most;
  }

  template <typename Wanted>
  FoundIterations FromRanges(Wanted&& wanted, std::string_view detail) const {
    FoundIterations found{IterationSource::kMarkers, {}, std::string(detail)};
    for (const size_t h : OfOneThread(wanted)) found.ranges.push_back(RangeOf(h));
    return found;
  }

  // Kernels in the order of their launches, with the time at which the launching op began. If
  // launches are missing: in the order in which they ran, only on the stream that ran most of them
  // if there is one, since the order between streams differs from step to step.
  std::vector<Launch> Launches(bool& on_gpu) const {
    const GpuActivitiesTable& gpu = trace_.tables.gpu;
    size_t kernels = 0, known = 0;
    for (size_t g = 0; g < gpu.start.size(); ++g) {
      if (gpu.kind[g] != GpuKind::kKernel || trace_.SourceOf(gpu.stream[g]) != source_) continue;
      const bool launched = IsSet(facts_.gpu.op[g]) || IsSet(facts_.gpu.api[g]);
      // Work that ran before any recorded launch belongs to no iteration.
      if (!launched && known == 0 && HasCalls()) continue;
      ++kernels;
      known += launched ? 1 : 0;
    }
    on_gpu = static_cast<double>(known) < kLaunchesKnown * static_cast<double>(kernels);
    const StreamId main_stream = on_gpu ? StreamOfMostKernels() : kNone<StreamId>;
    std::vector<Launch> launches;
    for (size_t g = 0; g < gpu.start.size(); ++g) {
      if (gpu.kind[g] != GpuKind::kKernel || trace_.SourceOf(gpu.stream[g]) != source_) continue;
      if (IsSet(main_stream) && gpu.stream[g] != main_stream) continue;
      if (on_gpu) {
        launches.push_back({gpu.start[g], gpu.name[g]});
      } else if (IsSet(facts_.gpu.op[g]) || IsSet(facts_.gpu.api[g])) {
        launches.push_back({LaunchTime(g), gpu.name[g]});
      }
    }
    std::stable_sort(launches.begin(), launches.end(),
                     [](const Launch& a, const Launch& b) { return a.time < b.time; });
    return launches;
  }

  // The stream that ran more than half of the kernels, or none.
  StreamId StreamOfMostKernels() const {
    const GpuActivitiesTable& gpu = trace_.tables.gpu;
    std::vector<size_t> kernels(RowCount(trace_.tables.streams));
    size_t all = 0;
    for (size_t g = 0; g < gpu.start.size(); ++g) {
      if (gpu.kind[g] != GpuKind::kKernel || trace_.SourceOf(gpu.stream[g]) != source_) continue;
      ++kernels[Index(gpu.stream[g])];
      ++all;
    }
    const auto most = std::max_element(kernels.begin(), kernels.end());
    if (most == kernels.end() || 2 * *most <= all) return kNone<StreamId>;
    return MakeId<StreamId>(static_cast<size_t>(most - kernels.begin()));
  }

  bool HasCalls() const { return activity_.end >= activity_.start; }

  // The launches before, between and after the clean stretches.
  std::vector<std::span<const Launch>> BetweenCleanStretches(
      std::span<const Launch> launches) const {
    std::vector<std::span<const Launch>> parts;
    const auto take = [&](size_t count) {
      if (count > 0) parts.push_back(launches.first(count));
      launches = launches.subspan(count);
    };
    for (const Interval& stretch : clean_.intervals()) {
      const auto after =
          std::partition_point(launches.begin(), launches.end(),
                               [&](const Launch& launch) { return launch.time < stretch.end; });
      take(static_cast<size_t>(after - launches.begin()));
    }
    take(launches.size());
    return parts;
  }

  static std::vector<KernelPeriod> PeriodsOf(std::span<const Launch> launches) {
    std::vector<StringId> names;
    names.reserve(launches.size());
    for (const Launch& launch : launches) names.push_back(launch.kernel);
    return FindKernelPeriods(names);
  }

  static std::vector<Interval> Repetitions(std::span<const Launch> launches,
                                           const KernelPeriod& period) {
    std::vector<TimeNs> starts;
    for (size_t i = 0; i < period.count; ++i) {
      starts.push_back(launches[period.offset + i * period.length].time);
    }
    return FromStarts(std::move(starts), launches.back().time + 1);
  }

  static std::vector<Interval> RepetitionsOfLength(std::span<const Launch> launches,
                                                   size_t length) {
    for (const KernelPeriod& period : PeriodsOf(launches)) {
      if (period.length == length) return Repetitions(launches, period);
    }
    return {};
  }

  // The end of the recorded part that contains a time.
  TimeNs RecordedUntil(TimeNs time, bool on_gpu) const {
    for (const Interval& stretch : clean_.intervals()) {
      if (stretch.start > time) return stretch.start;
    }
    return on_gpu ? whole_.end : activity().end;
  }

  // The start of the outermost op behind a GPU activity; without an op, that of its API call.
  TimeNs LaunchTime(size_t g) const {
    const HostId op = facts_.gpu.op[g];
    if (!IsSet(op)) return trace_.tables.api.start[Index(facts_.gpu.api[g])];
    const HostId reported = facts_.host.op[Index(op)];
    return trace_.tables.host.start[Index(IsSet(reported) ? reported : op)];
  }

  // Whether repetitions of kernels are steps rather than layers within steps.
  static bool AreSteps(std::span<const Interval> ranges, std::span<const KernelPeriod> periods,
                       size_t chosen, const StepSigns& signs) {
    if (signs.ArePartsOfOnePass(ranges)) return false;
    if (signs.EachIsAStep(ranges)) return true;
    // A longer period explains what this one does not: steps that consist of layers.
    constexpr size_t kNoise = 4;
    const KernelPeriod& period = periods[chosen];
    for (const KernelPeriod& longer : periods.subspan(chosen + 1)) {
      if (period.mismatches >= kNoise && 4 * longer.mismatches <= period.mismatches) return false;
    }
    return !(period.framed && period.count > 2) || signs.EachCopies(ranges);
  }

  // The first iteration begins with the first activity; work after the last end belongs to no
  // iteration.
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

  // The time between two iterations belongs to the first of them. The end of the last one, and of
  // the last one before a clean stretch, is not known: it gets the median length of the others, or
  // ends with the recording.
  void LastUntilTheNext(std::vector<Interval>& ranges) const {
    std::vector<DurationNs> lengths;
    std::vector<size_t> last;
    for (size_t i = 0; i < ranges.size(); ++i) {
      const bool is_last =
          i + 1 == ranges.size() || clean_.LengthWithin({ranges[i].start, ranges[i + 1].start}) > 0;
      if (is_last) {
        last.push_back(i);
        continue;
      }
      ranges[i].end = ranges[i + 1].start;
      lengths.push_back(ranges[i].end - ranges[i].start);
    }
    if (lengths.size() < 2) return;
    const DurationNs median = UpperMedian(lengths);
    for (const size_t i : last) {
      Interval& range = ranges[i];
      range.end =
          std::max(range.end, std::min(range.start + median, RecordedUntil(range.start, false)));
    }
  }

  // Work before the first start belongs to no iteration.
  static std::vector<Interval> FromStarts(std::vector<TimeNs> starts, TimeNs last_end) {
    std::sort(starts.begin(), starts.end());
    starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
    std::vector<Interval> ranges;
    for (size_t i = 0; i < starts.size(); ++i) {
      const TimeNs end = i + 1 < starts.size() ? starts[i + 1] : last_end;
      if (end > starts[i]) ranges.push_back({starts[i], end});
    }
    return ranges;
  }

  // Steps of an inference server. If ranges of two kinds are nested, the kind that covers more time
  // is used. A step lasts until the next one begins, so that sampling and scheduling are part of
  // it.
  FoundIterations ServingRanges() const {
    FoundIterations best{IterationSource::kMarkers, {}, ""};
    DurationNs most = 0;
    for (int format = 0; format < kServingFormats; ++format) {
      FoundIterations found{IterationSource::kMarkers, {}, ""};
      DurationNs covered = 0;
      for (const size_t h : OfOneThread([&](size_t row) {
             const auto step = ParseServingStep(trace_.Text(trace_.tables.host.name[row]));
             return step && static_cast<int>(step->format) == format;
           })) {
        const Interval range = RangeOf(h);
        if (!found.ranges.empty() && range.start < found.ranges.back().end) continue;
        covered += range.end - range.start;
        found.ranges.push_back(range);
        const std::string_view name = trace_.Text(trace_.tables.host.name[h]);
        found.serving.push_back(*ParseServingStep(name));
        found.detail = PatternOf(found.serving.back().format);
      }
      if (covered <= most) continue;
      most = covered;
      best = std::move(found);
    }
    LastUntilTheNext(best.ranges);
    return best;
  }

  // JAX: ranges with a step number.
  FoundIterations StepAnnotations() const {
    const HostRangesTable& host = trace_.tables.host;
    const std::vector<size_t> rows = OfOneThread([&](size_t h) {
      if (!IsSet(host.extra[h])) return false;
      const std::string_view args =
          trace_.Text(trace_.tables.host_extras.args[Index(host.extra[h])]);
      return args.find("\"step_num\"") != std::string_view::npos;
    });
    FoundIterations found{IterationSource::kMarkers, {}, ""};
    for (const size_t h : rows) {
      found.ranges.push_back(RangeOf(h));
      found.detail = trace_.Text(host.name[h]);
    }
    return found;
  }

  // Timelines of whole jobs, in which nearly every range has an argument with its step.
  FoundIterations StepArguments() const {
    FoundIterations found{IterationSource::kMarkers, {}, "the argument step"};
    const HostRangesTable& host = trace_.tables.host;
    std::map<int64_t, Interval> steps;
    size_t all = 0, with_step = 0;
    for (size_t h = 0; h < host.start.size(); ++h) {
      if (trace_.SourceOf(host.thread[h]) != source_ || host.kind[h] == HostKind::kSpan) continue;
      ++all;
      if (const auto step = StepArgument(h)) {
        ++with_step;
        Extend(steps.try_emplace(*step, Interval{INT64_MAX, INT64_MIN}).first->second, RangeOf(h));
      }
      // In other traces, the first ranges already show that they have no such argument.
      constexpr size_t kEnough = 64;
      if (all == kEnough && 10 * with_step < 9 * all) return found;
    }
    if (10 * with_step < 9 * all || steps.size() < 2) return found;
    for (const auto& [number, range] : steps) {
      if (!found.ranges.empty()) {
        Interval& before = found.ranges.back();
        if (range.start <= before.start) return {IterationSource::kMarkers, {}, ""};
        before.end = std::min(before.end, range.start);
      }
      found.ranges.push_back(range);
    }
    return found;
  }

  std::optional<int64_t> StepArgument(size_t h) const {
    const HostExtraId extra = trace_.tables.host.extra[h];
    if (!IsSet(extra)) return std::nullopt;
    std::string_view args = trace_.Text(trace_.tables.host_extras.args[Index(extra)]);
    constexpr std::string_view kStep = "\"step\":";
    const size_t at = args.find(kStep);
    if (at == args.npos) return std::nullopt;
    args.remove_prefix(at + kStep.size());
    args.remove_prefix(std::min(args.find_first_not_of(' '), args.size()));
    int64_t step = 0;
    const auto [end, error] = std::from_chars(args.data(), args.data() + args.size(), step);
    return error == std::errc() ? std::optional(step) : std::nullopt;
  }

  // ONNX Runtime: one range per inference, all with the same name.
  FoundIterations ModelRuns() const {
    constexpr std::string_view kModelRun = "model_run";
    return FromRanges(
        [&](size_t h) { return trace_.Text(trace_.tables.host.name[h]) == kModelRun; }, kModelRun);
  }

  // Ranges of one thread whose names differ only in numbers, one of which increases.
  struct NumberedGroup {
    std::string pattern;  // "step ", "Iteration #/#"
    std::vector<Interval> ranges;
    std::vector<int64_t> last_numbers;
    std::vector<bool> counts;  // by position of the number: whether it increases
    bool disjoint = true;
    DurationNs covered = 0;
    NameHint hint = NameHint::kNone;

    void Add(std::string_view name, Interval range, std::vector<int64_t> numbers) {
      if (ranges.empty()) {
        hint = HintOf(name);
        counts.assign(numbers.size(), true);
        // Only names of steps may have the number before the end: "Iteration 7/100".
        const bool at_end = name.back() >= '0' && name.back() <= '9';
        if (hint != NameHint::kStep) {
          std::fill(counts.begin(), counts.end() - (at_end ? 1 : 0), false);
        }
      } else {
        disjoint = disjoint && range.start >= ranges.back().end;
        for (size_t i = 0; i < numbers.size(); ++i) {
          // The number of a step may restart in every epoch.
          const bool again = hint == NameHint::kStep && numbers[i] <= 1 && last_numbers[i] > 1;
          if (numbers[i] <= last_numbers[i] && !again) counts[i] = false;
        }
      }
      last_numbers = std::move(numbers);
      covered += range.end - range.start;
      ranges.push_back(range);
    }

    bool IsSequence() const {
      return disjoint && ranges.size() >= 2 &&
             std::find(counts.begin(), counts.end(), true) != counts.end();
    }
    // Names of steps come first, those of epochs, which consist of steps, last.
    int Rank() const { return hint == NameHint::kStep ? 2 : hint == NameHint::kEpoch ? 0 : 1; }
  };

  FoundIterations NumberedRanges() const {
    std::map<std::pair<ThreadId, std::string>, NumberedGroup> groups;
    std::string pattern;
    for (const size_t h : annotations_) {
      const std::string_view name = trace_.Text(trace_.tables.host.name[h]);
      std::vector<int64_t> numbers = NumbersIn(name, pattern);
      if (numbers.empty()) continue;
      groups[{trace_.tables.host.thread[h], pattern}].Add(name, RangeOf(h), std::move(numbers));
    }
    std::vector<const NumberedGroup*> sequences;
    DurationNs longest = 0;
    for (auto& [key, group] : groups) {
      if (!group.IsSequence() || group.hint == NameHint::kPart) continue;
      group.pattern = key.second;
      if (group.pattern.find('#') + 1 == group.pattern.size()) group.pattern.pop_back();
      sequences.push_back(&group);
      longest = std::max(longest, group.covered);
    }
    // The kind of name decides between groups that cover about the same time.
    std::erase_if(sequences, [&](const NumberedGroup* g) { return 2 * g->covered < longest; });
    std::stable_sort(sequences.begin(), sequences.end(), [](const auto* a, const auto* b) {
      return std::pair(a->Rank(), a->covered) > std::pair(b->Rank(), b->covered);
    });
    FoundIterations found{IterationSource::kMarkers, {}, ""};
    std::optional<StepSigns> signs;
    for (const NumberedGroup* group : sequences) {
      if (group->hint == NameHint::kNone) {
        if (!signs) signs.emplace(trace_, names_, facts_, source_, false);
        if (signs->ArePartsOfOnePass(group->ranges)) continue;
      }
      found.ranges = group->ranges;
      found.detail = group->pattern;
      break;
    }
    return found;
  }

  const Trace& trace_;
  RangeNames& names_;
  const FactTables& facts_;
  SourceId source_;
  std::vector<size_t> annotations_;
  const IntervalSet clean_;                  // the clean stretches
  Interval activity_{INT64_MAX, INT64_MIN};  // on the CPU
  Interval whole_{INT64_MAX, INT64_MIN};     // of everything in the source
};

}  // namespace

FoundIterations FindIterationsOf(const Trace& trace, RangeNames& names, const FactTables& facts,
                                 SourceId source, bool marked_functions,
                                 const std::string& key_op) {
  const Finder finder(trace, names, facts, source);
  FoundIterations found;
  const auto any = [&](FoundIterations iterations) {
    found = std::move(iterations);
    finder.LeaveOutUnrecorded(found);
    return !found.ranges.empty();
  };
  if (!key_op.empty()) {
    any(finder.KeyOp(key_op));
    return found;
  }
  if (any(finder.Markers())) return found;
  if (marked_functions) {
    found = finder.Whole();
    found.detail = "its functions are marked for DLProf, which needs --key-op to find iterations";
    return found;
  }
  for (auto way : {&Finder::Optimizer, &Finder::TimedSteps, &Finder::DataLoader, &Finder::Period,
                   &Finder::RepeatedCalls, &Finder::OneNamedStep}) {
    if (any((finder.*way)())) return found;
  }
  found = finder.Whole();
  found.detail =
      "no step markers, optimizer steps or data loader calls, and neither the sequence of kernels "
      "nor an outermost range repeats from step to step";
  return found;
}

}  // namespace warpsight
