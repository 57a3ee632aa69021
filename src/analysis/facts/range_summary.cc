#include "analysis/facts/range_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/facts/gpu_windows.h"
#include "analysis/facts/range_names.h"
#include "analysis/facts/window_breakdown.h"

namespace warpsight {

std::string_view ToString(Verdict verdict) {
  switch (verdict) {
    case Verdict::kInputBound:
      return "input-bound";
    case Verdict::kCpuBound:
      return "cpu-bound";
    case Verdict::kSyncBound:
      return "sync-bound";
    case Verdict::kCommunicationBound:
      return "communication-bound";
    case Verdict::kCopyBound:
      return "copy-bound";
    case Verdict::kGpuBound:
      return "gpu-bound";
    case Verdict::kUnknown:
      break;
  }
  return "unknown";
}

std::string_view ToString(Resource resource) {
  switch (resource) {
    case Resource::kTensorCores:
      return "Tensor Core kernels";
    case Resource::kOtherKernels:
      return "other kernels";
    case Resource::kCommunication:
      return "communication";
    case Resource::kMemory:
      return "memory";
    case Resource::kDataLoading:
      return "data loading";
    case Resource::kIo:
      return "I/O";
    case Resource::kCpu:
      return "CPU";
    case Resource::kOther:
      break;
  }
  return "other";
}

std::string_view ToString(GapCause cause) {
  switch (cause) {
    case GapCause::kData:
      return "waiting for data";
    case GapCause::kSync:
      return "host synchronisation";
    case GapCause::kAllocation:
      return "allocation";
    case GapCause::kCpu:
      return "CPU-bound launching";
    case GapCause::kLaunchLatency:
      return "launch latency";
    case GapCause::kDependency:
      return "dependency";
    case GapCause::kUnknown:
      break;
  }
  return "nothing known";
}

std::string_view ToString(IterationSource source) {
  switch (source) {
    case IterationSource::kMarkers:
      return "markers";
    case IterationSource::kKeyOp:
      return "key-op";
    case IterationSource::kOptimizer:
      return "optimizer";
    case IterationSource::kDataLoader:
      return "data-loader";
    case IterationSource::kKernelPeriod:
      return "kernel-period";
    case IterationSource::kRepeatedCalls:
      return "repeated-calls";
    case IterationSource::kNone:
      break;
  }
  return "none";
}

std::string_view ToString(Direction direction) {
  switch (direction) {
    case Direction::kForward:
      return "fprop";
    case Direction::kBackward:
      return "bprop";
    case Direction::kOptimizer:
      return "optimizer";
    case Direction::kDataLoading:
      break;
  }
  return "data loading";
}

std::string Headline(Verdict verdict) {
  std::string text(ToString(verdict));
  const size_t capitals = verdict == Verdict::kCpuBound || verdict == Verdict::kGpuBound ? 3 : 1;
  for (size_t i = 0; i < capitals; ++i) text[i] = static_cast<char>(text[i] - 'a' + 'A');
  return text;
}

int64_t RangeSummary::steps() const {
  const auto used = std::count_if(windows.begin(), windows.end(),
                                  [](const Interval& window) { return window.end > window.start; });
  return iterations() * std::max<int64_t>(1, used);
}

double RangeSummary::SamplesPerSecond() const {
  if (samples_per_iteration == kMissing || average_iteration <= 0) return kMissingReal;
  return 1e9 * static_cast<double>(samples_per_iteration) / static_cast<double>(average_iteration);
}

Interval RangeSummary::PartOfGap(ProfileView profile, size_t gap) const {
  const GapsTable& gaps = profile.facts.gaps;
  const SourceId source = profile.trace.tables.devices.source[Index(gaps.device[gap])];
  const Interval window = windows[Index(source)];
  return {std::max(gaps.start[gap], window.start), std::min(gaps.end[gap], window.end)};
}

namespace {

class Summariser {
 public:
  explicit Summariser(ProfileView profile) : trace_(profile.trace), facts_(profile.facts) {}

  RangeSummary Run() {
    const AggregationsTable& a = facts_.aggregations;
    range_.first = a.first.front();
    range_.last = a.last.front();
    range_.source = a.source.front();
    range_.explanation = trace_.Text(a.explanation.front());
    range_.samples_per_iteration = a.batch_size.front();
    SetWindows();
    AddGpuTime();
    AddLoader();
    CountSyncs();
    Judge();
    return std::move(range_);
  }

 private:
  void SetWindows() {
    const IterationsTable& t = facts_.iterations;
    range_.windows.assign(RowCount(trace_.tables.sources), Interval{0, 0});
    const std::vector<DurationNs> lengths = IterationLengths(ProfileView(trace_, facts_));
    std::vector<DurationNs> times;
    for (size_t i = 0; i < t.start.size(); ++i) {
      range_.total = std::max(range_.total, t.number[i] + 1);
      if (t.number[i] < range_.first || t.number[i] > range_.last) continue;
      Interval& window = range_.windows[Index(t.source[i])];
      if (window.end == 0) window.start = t.start[i];
      window.end = std::max({window.end, t.end[i], t.gpu_end[i]});
      times.push_back(lengths[i]);
      ++iterations_;
    }
    LeaveOutBacklog();
    for (const Interval& window : range_.windows) {
      range_.wall = std::max(range_.wall, window.end - window.start);
    }
    const int64_t count = range_.last - range_.first + 1;
    range_.average_iteration = range_.wall / count;
    double mean = 0;
    for (const DurationNs t_ns : times) mean += static_cast<double>(t_ns);
    mean /= static_cast<double>(std::max<size_t>(1, times.size()));
    double squares = 0;
    for (const DurationNs t_ns : times) squares += std::pow(static_cast<double>(t_ns) - mean, 2);
    if (times.size() > 1) {
      range_.iteration_deviation =
          std::llround(std::sqrt(squares / static_cast<double>(times.size() - 1)));
    }
  }

  // A GPU that lags behind begins the range with work of earlier iterations. As much work of the
  // range is done after its last launch, so the time counts from the end of the earlier work.
  void LeaveOutBacklog() {
    const GpuActivitiesTable& gpu = trace_.tables.gpu;
    std::vector<bool> begun(range_.windows.size());
    std::vector<Interval> windows = range_.windows;
    for (size_t g = 0; g < gpu.start.size(); ++g) {
      const size_t source = Index(trace_.SourceOf(gpu.stream[g]));
      if (begun[source]) continue;
      if (InRange(facts_.gpu.iteration[g])) {
        begun[source] = true;
        continue;
      }
      windows[source].start = std::max(windows[source].start, gpu.start[g] + gpu.duration[g]);
    }
    for (size_t s = 0; s < windows.size(); ++s) {
      if (begun[s] && windows[s].start < windows[s].end) range_.windows[s] = windows[s];
    }
  }

  void AddGpuTime() {
    const ProfileView profile(trace_, facts_);
    static_cast<GpuTime&>(range_) = WindowBreakdown(profile).Within(profile, range_.windows);
    if (range_.capacity > 0) {
      const auto capacity = static_cast<double>(range_.capacity);
      range_.gpu_utilization = static_cast<double>(range_.kernel_busy) / capacity;
      range_.gpu_utilization_all = static_cast<double>(range_.busy) / capacity;
    }
  }

  void AddLoader() {
    const HostRangesTable& host = trace_.tables.host;
    RangeNames names(trace_);
    for (size_t h = 0; h < host.start.size(); ++h) {
      if (host.kind[h] != HostKind::kAnnotation || !InRange(facts_.host.iteration[h])) continue;
      if (names[host.name[h]].loader_next) range_.reader_time += host.duration[h];
    }
  }

  void CountSyncs() {
    const ApiCallsTable& api = trace_.tables.api;
    ByName<bool> is_sync(trace_, IsSynchronisation);
    for (size_t a = 0; a < api.start.size(); ++a) {
      if (is_sync[api.name[a]] && InRange(facts_.api.iteration[a])) ++range_.synchronisations;
    }
  }

  bool InRange(IterationId iteration) const {
    if (!IsSet(iteration)) return false;
    const int64_t number = facts_.iterations.number[Index(iteration)];
    return number >= range_.first && number <= range_.last;
  }

  double Share(DurationNs time) const {
    return static_cast<double>(time) / static_cast<double>(range_.capacity);
  }

  DurationNs Gap(GapCause cause) const { return range_.gaps[static_cast<size_t>(cause)]; }
  DurationNs Part(Resource resource) const {
    return range_.resources[static_cast<size_t>(resource)];
  }

  // The largest claim on the step wins: what the GPU computes, or what it waits for.
  void Judge() {
    if (range_.busy == 0 || range_.capacity == 0) {
      range_.verdict_reason = "no GPU work in the aggregated iterations";
      return;
    }
    const DurationNs cpu =
        Gap(GapCause::kCpu) + Gap(GapCause::kAllocation) + Gap(GapCause::kLaunchLatency);
    const std::array claims = {
        std::pair{Part(Resource::kTensorCores) + Part(Resource::kOtherKernels), Verdict::kGpuBound},
        std::pair{Gap(GapCause::kData), Verdict::kInputBound},
        std::pair{cpu, Verdict::kCpuBound},
        std::pair{Gap(GapCause::kSync), Verdict::kSyncBound},
        std::pair{Part(Resource::kCommunication) + Gap(GapCause::kDependency),
                  Verdict::kCommunicationBound},
        std::pair{Part(Resource::kMemory), Verdict::kCopyBound},
        std::pair{Gap(GapCause::kUnknown), Verdict::kUnknown},
    };
    const auto* winner = &claims[0];
    for (const auto& claim : claims) {
      if (claim.first > winner->first) winner = &claim;
    }
    range_.verdict = winner->second;
    range_.verdict_reason = Reason(Share(winner->first), cpu);
  }

  std::string Reason(double share, DurationNs cpu) const {
    const double percent = 100 * share;
    std::string text;
    switch (range_.verdict) {
      case Verdict::kGpuBound:
        text = fmt::format("the GPU computes {:.0f} % of the time", percent);
        break;
      case Verdict::kInputBound:
        text = fmt::format("the GPU waits for the data loader {:.0f} % of the time", percent);
        break;
      case Verdict::kCpuBound:
        text =
            fmt::format("the GPU waits for the CPU to launch work {:.0f} % of the time", percent);
        break;
      case Verdict::kSyncBound:
        text = fmt::format("the GPU is idle after host synchronisations {:.0f} % of the time",
                           percent);
        break;
      case Verdict::kCommunicationBound:
        text = fmt::format("the GPU waits for communication {:.0f} % of the time", percent);
        break;
      case Verdict::kCopyBound:
        text = fmt::format("copies alone take {:.0f} % of the time", percent);
        break;
      case Verdict::kUnknown:
        text = fmt::format("the GPU is idle {:.0f} % of the time and the trace does not show why",
                           percent);
        break;
    }
    const auto also = [&](double part, std::string_view what) {
      if (part >= 0.05) text += fmt::format(", {:.0f} % {}", 100 * part, what);
    };
    if (range_.verdict != Verdict::kGpuBound) {
      also(Share(Part(Resource::kTensorCores) + Part(Resource::kOtherKernels)), "computing");
    }
    if (range_.verdict != Verdict::kInputBound)
      also(Share(Gap(GapCause::kData)), "waiting for data");
    if (range_.verdict != Verdict::kCpuBound) also(Share(cpu), "waiting for the CPU");
    if (range_.verdict != Verdict::kSyncBound) {
      also(Share(Gap(GapCause::kSync)), "after host synchronisations");
    }
    const double per_iteration = static_cast<double>(range_.synchronisations) /
                                 static_cast<double>(std::max<int64_t>(1, iterations_));
    // One at the end of a step is common and cheap; more are worth naming.
    if (per_iteration >= 2) {
      text += fmt::format("; {:.0f} host synchronisations per iteration", per_iteration);
    }
    return text;
  }

  const Trace& trace_;
  const FactTables& facts_;
  RangeSummary range_;
  int64_t iterations_ = 0;  // aggregated ones of all sources together
};

}  // namespace

RangeSummary SummariseRange(ProfileView profile) { return Summariser(profile).Run(); }

}  // namespace warpsight
