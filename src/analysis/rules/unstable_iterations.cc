#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/advice/rule.h"
#include "base/statistics.h"

namespace warpsight::rules::unstable_iterations {

Rule Define();

namespace {

// Steady training loops vary by 1 to 5 % while they are recorded (H200, the traces in tests/data);
// twice that has a cause in the loop.
constexpr double kDeviation = 0.10;
// A single iteration that takes this much longer than the median is an event, not noise.
constexpr double kOutlier = 1.5;
constexpr size_t kEnough = 3;

struct Iteration {
  IterationId row;
  int64_t number = 0;
  Interval window;  // from the end of the previous iteration to its own end, on CPU and GPU
  DurationNs busy = 0;
  std::array<DurationNs, kIdleCauseCount> idle{};

  DurationNs length() const { return window.end - window.start; }
};

// The aggregated iterations of a source, with the windows and times of the ledger. An iteration
// that began while the GPU still ran work from before the recording is left out, since its normal
// length is unknown.
std::vector<Iteration> IterationsOf(const RuleInput& input, SourceId source) {
  const IterationsTable& t = input.profile.facts.iterations;
  std::vector<Iteration> found;
  for (size_t i = 0; i < t.start.size(); ++i) {
    const auto row = MakeId<IterationId>(i);
    if (t.source[i] != source || !input.range.Contains(input.profile, row)) continue;
    if (t.number[i] == 0 && t.window_start[i] > t.start[i]) continue;
    found.push_back({row, t.number[i], {t.window_start[i], t.window_end[i]}});
  }
  return found;
}

// Adds the times of the source's GPUs, summed over several GPUs. Iterations are in the order of
// rows.
void AddGpuTimes(const RuleInput& input, std::vector<Iteration>& iterations) {
  const LedgerTable& ledger = input.profile.facts.ledger;
  for (Iteration& iteration : iterations) {
    const auto [first, last] =
        std::equal_range(ledger.iteration.begin(), ledger.iteration.end(), iteration.row);
    for (auto i = static_cast<size_t>(first - ledger.iteration.begin());
         i < static_cast<size_t>(last - ledger.iteration.begin()); ++i) {
      const LedgerEntry entry = ledger.entry[i];
      if (entry < LedgerEntry::kIdleData) {
        iteration.busy += ledger.time[i];
      } else if (entry <= LedgerEntry::kIdleUnknown) {
        iteration.idle[static_cast<size_t>(entry) - static_cast<size_t>(LedgerEntry::kIdleData)] +=
            ledger.time[i];
      }
    }
  }
}

std::string_view RemedyFor(IdleCause cause) {
  switch (cause) {
    case IdleCause::kData:
      return "more worker processes and a longer queue (num_workers, prefetch_factor), and files "
             "that take equally long to read";
    case IdleCause::kSync:
      return "logging, evaluation and checkpoints outside the measured steps";
    case IdleCause::kAllocation:
      return "batches of one size, and PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True";
    case IdleCause::kHostWork:
    case IdleCause::kLaunchLatency:
      return "other load on the machine's cores, garbage collection (gc.disable(), gc.collect() "
             "between epochs), recompilation (TORCH_LOGS=recompiles)";
    case IdleCause::kDependency:
      return "streams that finish late";
    case IdleCause::kOtherRank:
      return "ranks that come late";
    case IdleCause::kUnknown:
      break;
  }
  return "other programs on the machine and the GPU";
}

struct Difference {
  DurationNs time = 0;
  IdleCause cause = IdleCause::kUnknown;
  bool busy = false;  // the GPU itself worked longer
};

Difference MainDifference(const Iteration& outlier, const Iteration& usual) {
  Difference main{outlier.busy - usual.busy, IdleCause::kUnknown, true};
  for (size_t cause = 0; cause < kIdleCauseCount; ++cause) {
    const DurationNs more = outlier.idle[cause] - usual.idle[cause];
    if (more > main.time) main = {more, static_cast<IdleCause>(cause), false};
  }
  return main;
}

// Describes the part of the time that grew; empty if none did.
std::string MoreOf(const Difference& difference) {
  if (difference.time <= 0) return "";
  return fmt::format("{} more of {}", FormatDuration(static_cast<double>(difference.time)),
                     difference.busy ? "GPU work" : ToString(difference.cause));
}

struct Unstable {
  std::vector<Iteration> iterations;  // ordered by length
  double deviation = 0;               // as a share of the mean
  const Iteration& usual() const { return iterations[(iterations.size() - 1) / 2]; }
  double Ratio(const Iteration& iteration) const {
    return static_cast<double>(iteration.length()) / static_cast<double>(usual().length());
  }
};

bool IsUnstable(Unstable& found) {
  std::stable_sort(found.iterations.begin(), found.iterations.end(),
                   [](const Iteration& a, const Iteration& b) { return a.length() < b.length(); });
  if (found.iterations.size() < kEnough || found.usual().length() <= 0) return false;
  std::vector<DurationNs> lengths;
  for (const Iteration& i : found.iterations) lengths.push_back(i.length());
  const Statistics statistics = Summarize(lengths);
  found.deviation = statistics.deviation / statistics.average;
  const double longest = found.Ratio(found.iterations.back());
  return (found.deviation > kDeviation && longest > 1 + kDeviation) || longest > kOutlier;
}

Finding Describe(const Unstable& found) {
  const Iteration& longest = found.iterations.back();
  const Difference why = MainDifference(longest, found.usual());
  Finding finding;
  finding.problem = fmt::format(
      "Iteration times vary by {:.0f} % (standard deviation): iteration {} takes {}, {:.1f} times "
      "the median{}{}.",
      100 * found.deviation, longest.number, FormatDuration(static_cast<double>(longest.length())),
      found.Ratio(longest), why.time > 0 ? ", with " : "", MoreOf(why));
  finding.recommendation = fmt::format(
      "Analyze the others alone with --iter-start and --iter-stop (iteration {} is typical), and "
      "investigate the slow ones: {}. Averages over such a range are not representative.",
      found.usual().number,
      why.busy ? "batches of different sizes (pad or sort them by length), other programs on the "
                 "GPU, clocks that change (nvidia-smi -q -d CLOCK,PERFORMANCE)"
               : RemedyFor(why.cause));
  for (size_t n = 0; n < 5 && n < found.iterations.size(); ++n) {
    const Iteration& slow = found.iterations[found.iterations.size() - 1 - n];
    if (n > 0 && found.Ratio(slow) < 1 + kDeviation) break;
    const Difference difference = MainDifference(slow, found.usual());
    finding.evidence.push_back(
        {fmt::format("iteration {}: {:.2f} times the median{}{}", slow.number, found.Ratio(slow),
                     difference.time > 0 ? ", " : "", MoreOf(difference)),
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
    AddGpuTimes(input, found.iterations);
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
