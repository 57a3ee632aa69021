#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/advice/kernel_edits.h"
#include "analysis/advice/own_kernels.h"

namespace warpsight::rules::tail_effect {

Rule Define();

namespace {

// With more waves, blocks drift apart, and the last wave is a small part of the whole.
constexpr double kManyWaves = 8;
// Smaller losses are within the run-to-run variation from block order.
constexpr double kNotable = 0.10;

// The share of a kernel's time that its incomplete last wave wastes.
double TailOf(const OwnKernel& kernel) {
  const double waves = Waves(kernel.launch, kernel.limits);
  // A single incomplete wave is an occupancy problem, and its blocks run faster because of it.
  if (waves <= 1 || waves >= kManyWaves) return 0;
  return 1 - waves / std::ceil(waves);
}

RuleResult Run(const RuleInput& input) {
  if (input.what_if.empty()) return WithoutGpuWork();
  const OwnKernels kernels = FindHotOwnKernels(input);
  KernelEdits edits;
  Finding finding;
  std::vector<const OwnKernel*> found;
  for (const OwnKernel& kernel : kernels.hot) {
    const double tail = TailOf(kernel);
    if (tail < kNotable) continue;
    found.push_back(&kernel);
    Evidence evidence = Describe(input, kernel);
    evidence.text += fmt::format(": {:.2f} waves", Waves(kernel.launch, kernel.limits));
    finding.evidence.push_back(std::move(evidence));
    for (const GpuId gpu : kernel.instances) edits.Scale(gpu, 1 - tail);
  }
  if (found.empty()) {
    if (kernels.skipped) return *kernels.skipped;
    return Healthy{};
  }
  const OwnKernel& first = *found.front();
  const double waves = Waves(first.launch, first.limits);
  const int64_t wave = first.limits.sms * ResidentBlocks(first.launch, first.limits);
  finding.problem = fmt::format(
      "{} takes {} per step in {:.2f} waves of blocks: the last wave has {:.0f} % of the "
      "blocks that would fit and takes as long as a full one.",
      input.ShortName(first.name), input.TimePerStep(first.time), waves,
      100 * (waves - std::floor(waves)));
  finding.recommendation = fmt::format(
      "Choose a grid that fills whole waves: {} blocks run at a time, so use {} or {} blocks "
      "instead of {}, or a persistent kernel: one wave of blocks that take work until none is "
      "left.{}",
      wave, static_cast<int64_t>(std::floor(waves)) * wave,
      static_cast<int64_t>(std::ceil(waves)) * wave, first.launch.blocks, LaunchAdvice(found));
  finding.confidence = Confidence::kLow;
  finding.assumes = "all blocks of a kernel take about the same time";
  finding.edit = std::move(edits);
  return finding;
}

}  // namespace

Rule Define() { return {"tail-effect", "A hot kernel whose last wave is nearly empty", Run}; }

}  // namespace warpsight::rules::tail_effect
