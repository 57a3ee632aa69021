#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/advice/rule.h"

namespace warpsight::rules::unstable_iterations {

Rule Define();

namespace {

// Steady training loops vary by 1 to 5 % while they are recorded (H200, the traces in tests/data);
// twice that is something that happens in the loop.
constexpr double kDeviation = 0.10;
// A single iteration so much longer than usual is an event, not noise.
constexpr double kOutlier = 1.5;
constexpr size_t kEnough = 3;

struct Iteration {
  int64_t number = 0;
  Interval window;  // from the end of the one before to its own end, on CPU and GPU
  DurationNs busy = 0;
  std::array<DurationNs, kGapCauseCount> gaps{};

  DurationNs length() const { return window.end - window.start; }
};

// The aggregated iterations of a source. A CPU that runs ahead of the GPU now and then waits for
// its queue, so an iteration counts from the end of the GPU work of the one before. One that began
// behind work from before the recording is left out: how long it would have taken is not known.
std::vector<Iteration> IterationsOf(const RuleInput& input, SourceId source) {
  const IterationsTable& t = input.profile.facts.iterations;
  std::vector<Iteration> found;
  TimeNs before = kMissing;
  for (size_t i = 0; i < t.start.size(); ++i) {
    if (t.source[i] != source) continue;
    const TimeNs end = std::max(t.end[i], t.gpu_end[i]);
    const bool behind = before == kMissing && input.range.windows[Index(source)].start > t.start[i];
    const TimeNs start = before == kMissing ? t.start[i] : before;
    before = end;
    if (behind || !input.range.Contains(input.profile, MakeId<IterationId>(i))) continue;
    found.push_back({t.number[i], {start, std::max(start, end)}});
  }
  return found;
}

// Of the GPUs of a source; several count together. Iterations are in the order of time.
void AddGpuTimes(const RuleInput& input, SourceId source, std::vector<Iteration>& iterations) {
  const Trace& trace = input.profile.trace;
  const GapsTable& gaps = input.profile.facts.gaps;
  for (Iteration& iteration : iterations) iteration.busy = iteration.length();
  for (size_t i = 0; i < gaps.start.size(); ++i) {
    if (trace.tables.devices.source[Index(gaps.device[i])] != source) continue;
    auto at = std::partition_point(iterations.begin(), iterations.end(), [&](const Iteration& it) {
      return it.window.end <= gaps.start[i];
    });
    for (; at != iterations.end() && at->window.start < gaps.end[i]; ++at) {
      const DurationNs length =
          std::min(gaps.end[i], at->window.end) - std::max(gaps.start[i], at->window.start);
      at->gaps[static_cast<size_t>(gaps.cause[i])] += length;
      at->busy -= length;
    }
  }
}

std::string_view WordsFor(GapCause cause) {
  switch (cause) {
    case GapCause::kData:
      return "waiting for the data loader";
    case GapCause::kSync:
      return "idle after host synchronisations";
    case GapCause::kAllocation:
      return "in memory allocation";
    case GapCause::kCpu:
      return "waiting for the CPU to launch work";
    case GapCause::kLaunchLatency:
      return "in launch latency";
    case GapCause::kDependency:
      return "waiting for another stream or GPU";
    case GapCause::kUnknown:
      break;
  }
  return "idle for a reason that the trace does not show";
}

std::string_view RemedyFor(GapCause cause) {
  switch (cause) {
    case GapCause::kData:
      return "more worker processes and a longer queue (num_workers, prefetch_factor), and files "
             "that are equally quick to read";
    case GapCause::kSync:
      return "logging, evaluation and checkpoints outside of the measured steps";
    case GapCause::kAllocation:
      return "batches of one size, and PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True";
    case GapCause::kCpu:
    case GapCause::kLaunchLatency:
      return "other load on the machine's cores, garbage collection (gc.disable(), gc.collect() "
             "between epochs), recompilation (TORCH_LOGS=recompiles)";
    case GapCause::kDependency:
      return "ranks or streams that finish late";
    case GapCause::kUnknown:
      break;
  }
  return "what else runs on the machine and the GPU";
}

struct Difference {
  DurationNs time = 0;
  GapCause cause = GapCause::kUnknown;
  bool busy = false;  // the GPU itself worked longer
};

Difference MainDifference(const Iteration& outlier, const Iteration& usual) {
  Difference main{outlier.busy - usual.busy, GapCause::kUnknown, true};
  for (size_t cause = 0; cause < kGapCauseCount; ++cause) {
    const DurationNs more = outlier.gaps[cause] - usual.gaps[cause];
    if (more > main.time) main = {more, static_cast<GapCause>(cause), false};
  }
  return main;
}

struct Unstable {
  std::vector<Iteration> iterations;  // by length
  double deviation = 0;               // share of the mean
  const Iteration& usual() const { return iterations[(iterations.size() - 1) / 2]; }
  double Ratio(const Iteration& iteration) const {
    return static_cast<double>(iteration.length()) / static_cast<double>(usual().length());
  }
};

bool IsUnstable(Unstable& found) {
  std::stable_sort(found.iterations.begin(), found.iterations.end(),
                   [](const Iteration& a, const Iteration& b) { return a.length() < b.length(); });
  if (found.iterations.size() < kEnough || found.usual().length() <= 0) return false;
  double mean = 0, squares = 0;
  for (const Iteration& i : found.iterations) mean += static_cast<double>(i.length());
  mean /= static_cast<double>(found.iterations.size());
  for (const Iteration& i : found.iterations) {
    squares += std::pow(static_cast<double>(i.length()) - mean, 2);
  }
  found.deviation = std::sqrt(squares / static_cast<double>(found.iterations.size() - 1)) / mean;
  const double longest = found.Ratio(found.iterations.back());
  return (found.deviation > kDeviation && longest > 1 + kDeviation) || longest > kOutlier;
}

Finding Describe(const Unstable& found) {
  const Iteration& longest = found.iterations.back();
  const Difference why = MainDifference(longest, found.usual());
  const auto ms = [](DurationNs time) { return static_cast<double>(time) / 1e6; };
  Finding finding;
  finding.problem = fmt::format(
      "Iteration times vary by {:.0f} % (standard deviation): iteration {} takes {:.1f} ms, {:.1f} "
      "times the median, with {:.1f} ms more {}.",
      100 * found.deviation, longest.number, ms(longest.length()), found.Ratio(longest),
      ms(why.time), why.busy ? "of GPU work" : WordsFor(why.cause));
  finding.recommendation = fmt::format(
      "Look at the others alone with --iter-start and --iter-stop (iteration {} is typical), and "
      "find out about the slow ones: {}. Averages of such a range describe no iteration.",
      found.usual().number,
      why.busy ? "batches of different sizes (pad or sort them by length), other programs on the "
                 "GPU, clocks that change (nvidia-smi -q -d CLOCK,PERFORMANCE)"
               : RemedyFor(why.cause));
  for (size_t n = 0; n < 5 && n < found.iterations.size(); ++n) {
    const Iteration& slow = found.iterations[found.iterations.size() - 1 - n];
    if (n > 0 && found.Ratio(slow) < 1 + kDeviation) break;
    const Difference difference = MainDifference(slow, found.usual());
    finding.evidence.push_back(
        {fmt::format("iteration {}: {:.2f} times the median, {:.1f} ms more {}", slow.number,
                     found.Ratio(slow), ms(difference.time),
                     difference.busy ? "of GPU work" : WordsFor(difference.cause)),
         slow.length(), kMissing, kNone<HostId>, kNone<GpuId>});
  }
  finding.evidence.push_back({fmt::format("iteration {}: the median", found.usual().number),
                              found.usual().length(), kMissing, kNone<HostId>, kNone<GpuId>});
  finding.confidence = Confidence::kHigh;
  return finding;
}

RuleResult Run(const RuleInput& input) {
  if (input.what_if.empty()) return WithoutGpuWork();
  if (input.range.source == IterationSource::kNone) {
    return Skipped{"the trace could not be split into iterations"};
  }
  Unstable worst;
  size_t most = 0;
  for (size_t s = 0; s < RowCount(input.profile.trace.tables.sources); ++s) {
    const auto source = MakeId<SourceId>(s);
    Unstable found{IterationsOf(input, source)};
    most = std::max(most, found.iterations.size());
    AddGpuTimes(input, source, found.iterations);
    if (!IsUnstable(found) || found.deviation <= worst.deviation) continue;
    worst = std::move(found);
  }
  if (most < kEnough) return Skipped{"fewer than three iterations are in the range"};
  if (worst.iterations.empty()) return Healthy{};
  return Describe(worst);
}

}  // namespace

Rule Define() { return {"unstable-iterations", "Iteration times vary", Run}; }

}  // namespace warpsight::rules::unstable_iterations
