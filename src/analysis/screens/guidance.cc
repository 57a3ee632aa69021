#include "analysis/screens/guidance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "analysis/advice/stored_advice.h"
#include "analysis/aggregation/op_kinds.h"
#include "analysis/aggregation/report_cache.h"
#include "analysis/facts/trust_sentence.h"
#include "analysis/screens/per_step.h"
#include "analysis/screens/render_advice.h"
#include "analysis/text/format.h"
#include "analysis/text/screen_text.h"

namespace warpsight {
namespace {

constexpr size_t kMost = 6;
constexpr size_t kLongestName = 64;
// Smaller shares are not mentioned. Our choice; the one-screen report uses the same threshold for
// idle time.
constexpr double kMinIdle = 0.05;
constexpr double kMinLoader = 0.05;
constexpr double kMinCommunication = 0.05;
constexpr double kMinVariation = 0.1;
constexpr double kMinOffTensorCores = 0.05;
constexpr double kMinPotential = 0.05;
constexpr double kMinDifference = 0.05;

std::string Time(double ns) { return FormatDuration(ns); }
std::string Time(DurationNs ns) { return FormatDuration(static_cast<double>(ns)); }

double Ratio(DurationNs part, DurationNs whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string OpText(const Op& op) {
  return op.associated() ? fmt::format("{} ({})", op.type, ToString(op.direction)) : op.name;
}

class Guide {
 public:
  explicit Guide(const ReportInput& input)
      : input_(input), range_(input.range), ops_(OpTableOf(input)) {}

  std::vector<Guidance> Run() {
    const bool gpu_bound = range_.verdict == TimeGroup::kKernels;
    Trust();
    Iterations();
    if (range_.busy == 0) {
      WithoutGpuWork();
    } else if (gpu_bound) {
      TopOp();
      Idle();
    } else {
      Idle();
      Loader();
    }
    Advised();
    TensorCores();
    Variation();
    Communication();
    Gpus();
    SpeedOfLight();
    if (!gpu_bound) TopOp();
    found_.resize(std::min(found_.size(), kMost));
    return std::move(found_);
  }

 private:
  using Query = std::vector<std::pair<std::string_view, std::string>>;

  void Say(std::string_view view, std::string text, Query query = {}) {
    found_.push_back({std::move(text), view, std::move(query)});
  }

  // The part of one step of one GPU.
  double PerGpuStep(double total) const { return total / static_cast<double>(GpuSteps(range_)); }

  void Trust() {
    const std::vector<TrustLimit> limits = TrustLimits(input_.profile);
    if (limits.empty() || !limits.front().serious) return;
    Say("trust", fmt::format("Before you rely on the numbers, check what limits them: {}.",
                             limits.front().text));
  }

  void Iterations() {
    if (range_.source != IterationSource::kNone) return;
    Say("iterations",
        "No iterations were found, so all numbers cover the whole trace: choose a key op whose "
        "ends mark iterations.");
  }

  void WithoutGpuWork() {
    Say("op-types",
        "The analyzed steps contain no GPU work; op types show where the CPU time went.");
  }

  // The main cause of idle time, and the longest gap with that cause.
  void Idle() {
    const double idle = Ratio(range_.idle, range_.capacity);
    if (range_.idle == 0 || idle < kMinIdle) return;
    auto cause = IdleCause::kData;
    for (size_t i = 1; i < kIdleCauseCount; ++i) {
      const auto other = static_cast<IdleCause>(i);
      if (range_.Of(other) > range_.Of(cause)) cause = other;
    }
    const Interval longest = LongestGap(cause);
    Say("timeline",
        fmt::format("The GPU is idle for {} of the time, mostly {} ({}); the longest such interval "
                    "lasts {}.",
                    FormatShare(idle, 1), ToString(cause),
                    FormatShare(range_.Share(range_.Of(cause)), 1),
                    Time(longest.end - longest.start)),
        {{"start", fmt::format("{}", longest.start)}, {"end", fmt::format("{}", longest.end)}});
    if (cause == IdleCause::kSync) {
      Say("reports", "See which calls and ops make the host wait for the GPU.",
          {{"report", "gaps"}});
    }
  }

  Interval LongestGap(IdleCause cause) const {
    const GapsTable& gaps = input_.profile.facts.gaps;
    Interval longest;
    for (size_t i = 0; i < gaps.cause.size(); ++i) {
      if (gaps.cause[i] != cause) continue;
      const Interval part = range_.PartOfGap(input_.profile, i);
      if (part.end - part.start > longest.end - longest.start) longest = part;
    }
    return longest;
  }

  void Loader() {
    const double each =
        static_cast<double>(range_.reader_time) / static_cast<double>(range_.steps());
    const double share =
        each / static_cast<double>(std::max<DurationNs>(1, range_.average_iteration));
    if (share < kMinLoader) return;
    Say("iterations", fmt::format("Iterations spend {} each in the data loader's next, {} of the "
                                  "average iteration.",
                                  Time(each), FormatShare(share, 1)));
  }

  void Advised() {
    const Advice advice = LoadAdvice(input_.profile);
    const auto findings = ChooseFindings(advice, {});
    if (findings.empty() || !findings.front()->predicts || IsUncertain(*findings.front())) return;
    const RankedFinding& best = *findings.front();
    Say("advice",
        fmt::format("Start with this advice: {}, predicted {} faster, {} per step instead of {}.",
                    best.rule, FormatSpeedup(best.speedup), Time(best.predicted_step),
                    Time(advice.unprofiled_step)),
        {{"rule", std::string(best.rule)}});
  }

  void TensorCores() {
    const KernelTotals totals = SumKernels(input_.profile.facts);
    const DurationNs off =
        totals.eligible - totals.eligible_on_tensor_cores - totals.eligible_unknown;
    if (totals.eligible == 0 || Ratio(off, totals.eligible) < kMinOffTensorCores) return;
    Say("reports",
        fmt::format("{} of the kernel time in eligible ops does not use Tensor Cores: {} per step.",
                    FormatShare(Ratio(off, totals.eligible), 1),
                    Time(PerGpuStep(static_cast<double>(off)))),
        {{"report", "tensor_core"}});
  }

  // The number and length of the analyzed step with the longest window.
  std::pair<int64_t, DurationNs> LongestStep() const {
    const FactTables& facts = input_.profile.facts;
    const IterationsTable& iterations = facts.iterations;
    std::pair<int64_t, DurationNs> longest = {0, -1};
    const auto look_at = [&](IterationId id, DurationNs length) {
      if (length > longest.second && range_.Contains(input_.profile, id)) {
        longest = {iterations.number[Index(id)], length};
      }
    };
    const GpuWindowsTable& windows = facts.gpu_windows;
    for (size_t row = 0; row < windows.start.size(); ++row) {
      look_at(windows.iteration[row], windows.end[row] - windows.start[row]);
    }
    if (!windows.start.empty()) return longest;
    for (size_t i = 0; i < iterations.start.size(); ++i) {
      look_at(MakeId<IterationId>(i), iterations.window_end[i] - iterations.window_start[i]);
    }
    return longest;
  }

  void Variation() {
    if (range_.average_iteration <= 0 || range_.iterations() < 2 ||
        Ratio(range_.iteration_deviation, range_.average_iteration) < kMinVariation) {
      return;
    }
    const auto [slowest, most] = LongestStep();
    Say("iterations", fmt::format("Iterations vary: their standard deviation is {}, and number {} "
                                  "takes {}.",
                                  Time(range_.iteration_deviation), slowest, Time(most)));
  }

  void Communication() {
    const double share = range_.Share(range_.Of(LedgerEntry::kCommunication));
    if (share < kMinCommunication) return;
    Say("kernels-by-op",
        fmt::format(
            "{} takes {} of the GPU's time: collectives that do not overlap compute kernels.",
            Headline(TimeGroup::kCommunication), FormatShare(share, 1)));
  }

  void Gpus() {
    double least = 1;
    double most = 0;
    for (const GpuUse& use : range_.gpus) {
      const double share = Ratio(use.kernel_busy, use.window.end - use.window.start);
      least = std::min(least, share);
      most = std::max(most, share);
    }
    if (range_.gpus.size() < 2 || most - least < kMinDifference) return;
    Say("gpus",
        fmt::format("Kernels run {} of the time on the least used GPU and {} on the most used "
                    "one.",
                    FormatShare(least, 1), FormatShare(most, 1)));
  }

  // The op that loses the most time compared with the GPU's peaks.
  void SpeedOfLight() {
    const auto costs = OpCostsOf(input_, *ops_);
    DurationNs all = 0;
    size_t best = 0;
    double most = 0;
    for (size_t i = 0; i < costs->table.ops().size(); ++i) {
      const CostedWork& work = costs->table.ops()[i];
      all += work.time;
      if (work.Potential() <= most) continue;
      most = work.Potential();
      best = i;
    }
    if (all == 0 || most < kMinPotential * static_cast<double>(all)) return;
    const CostedWork& work = costs->table.ops()[best];
    Say("roofline",
        fmt::format("{} is farthest from the GPU's peaks: it loses {} per step, at {} of the speed "
                    "of light.",
                    OpText(ops_->ops()[best]), Time(PerGpuStep(most)),
                    FormatShare(work.speed_of_light_ns, static_cast<double>(work.known_time))),
        {{"tab", "sol"}});
  }

  void TopOp() {
    const std::vector<OpKind> kinds = KindsOfOps(*ops_);
    DurationNs all = 0;
    for (const OpKind& kind : kinds) all += kind.gpu;
    if (all == 0) return;
    const OpKind& top = kinds.front();
    const Op& op = ops_->ops()[top.largest];
    const std::string largest = top.ops > 1
                                    ? fmt::format("; the largest of {} such ops is {}", top.ops,
                                                  ShortenMiddle(op.name, kLongestName))
                                    : std::string();
    Say("ops",
        fmt::format("Of all types of ops, {}{} takes the most GPU time, {} of it{}.", top.type,
                    top.associated ? fmt::format(" ({})", ToString(top.direction)) : std::string(),
                    FormatShare(Ratio(top.gpu, all), 1), largest),
        {{"op.sel", op.id}});
  }

  const ReportInput& input_;
  const RangeSummary& range_;
  const std::shared_ptr<const OpTable> ops_;
  std::vector<Guidance> found_;
};

}  // namespace

std::vector<Guidance> GuidanceFor(const ReportInput& input) { return Guide(input).Run(); }

}  // namespace warpsight
