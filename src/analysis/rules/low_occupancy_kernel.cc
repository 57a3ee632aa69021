#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/advice/kernel_edits.h"
#include "analysis/advice/own_kernels.h"
#include "analysis/roofline/cost_model.h"

namespace warpsight::rules::low_occupancy_kernel {

Rule Define();

namespace {

// The shortest time of a kernel: launching and draining its blocks (H200).
constexpr double kShortestKernel = 2'000;

// The time with as many blocks as multiprocessors, with the same work in total. Limits of memory
// and arithmetic still apply.
double FasterNs(const RuleInput& input, const OwnKernel& kernel, GpuId gpu) {
  const auto time = static_cast<double>(input.work.DurationOf(gpu));
  double faster =
      time * static_cast<double>(kernel.launch.blocks) / static_cast<double>(kernel.limits.sms);
  const auto& peaks = input.costs.PeaksOf(
      input.profile.trace.DeviceOf(input.profile.trace.tables.gpu.stream[Index(gpu)]));
  const OpCost cost = input.costs.CostOf(gpu);
  if (peaks && cost.bytes > 0) faster = std::max(faster, cost.bytes / peaks->bandwidth * 1e9);
  if (peaks && cost.flops > 0) {
    const double peak = peaks->Peak(cost.precision, cost.matrix());
    if (IsKnown(peak)) faster = std::max(faster, cost.flops / peak * 1e9);
  }
  return std::min(time, std::max(faster, kShortestKernel));
}

RuleResult Run(const RuleInput& input) {
  if (input.what_if.empty()) return WithoutGpuWork();
  const OwnKernels kernels = FindHotOwnKernels(input);
  KernelEdits edits;
  Finding finding;
  std::vector<const OwnKernel*> few;
  DurationNs time = 0;
  for (const OwnKernel& kernel : kernels.hot) {
    if (kernel.launch.blocks >= kernel.limits.sms) continue;
    few.push_back(&kernel);
    time += kernel.time;
    finding.evidence.push_back(Describe(input, kernel));
    for (const GpuId gpu : kernel.instances) edits.SetNs(gpu, FasterNs(input, kernel, gpu));
  }
  if (few.empty()) {
    if (kernels.skipped) return *kernels.skipped;
    return Healthy{};
  }
  const OwnKernel& first = *few.front();
  finding.problem = fmt::format(
      "{} takes {} per step with {} blocks for {} multiprocessors, so most of the GPU is idle "
      "during that time{}.",
      input.ShortName(first.name), input.TimePerStep(first.time), first.launch.blocks,
      first.limits.sms,
      few.size() > 1 ? fmt::format(" ({} such kernels: {})", few.size(), input.TimePerStep(time))
                     : "");
  finding.recommendation =
      fmt::format("Launch it with at least {} blocks, preferably a multiple of that.{}",
                  first.limits.sms, LaunchAdvice(few));
  finding.confidence = Confidence::kLow;
  finding.assumes =
      "the work of a block can be divided among more blocks, and time divides proportionally";
  finding.edit = std::move(edits);
  return finding;
}

}  // namespace

Rule Define() {
  return {"low-occupancy-kernel", "A hot kernel with fewer blocks than multiprocessors", Run};
}

}  // namespace warpsight::rules::low_occupancy_kernel
