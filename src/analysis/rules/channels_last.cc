#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "analysis/advice/kernel_edits.h"
#include "analysis/advice/kernel_time.h"
#include "analysis/advice/rule.h"
#include "analysis/roofline/cost_model.h"
#include "base/text.h"

namespace warpsight::rules::channels_last {

Rule Define();

namespace {

// In training, batch norm reaches this share of the bandwidth with channels innermost; with
// channels outermost it reads in small pieces and reaches 0.3 (H200, fp16 and fp32).
constexpr double kNormBandwidth = 0.72;

// Kernels with which cuDNN converts a tensor's layout before or after a convolution.
bool IsLayoutTransform(const KernelKind& kind) {
  return kind.family == KernelFamily::kLayoutTransform && kind.library == KernelLibrary::kCudnn;
}

// How often batch norm in training must read or write activations: forward, it reads the input
// twice and writes the output; backward, it reads the input and the gradient twice each and writes
// the input's gradient.
double NormPasses(Direction direction) { return direction == Direction::kBackward ? 5 : 3; }

struct Found {
  KernelEdits edits;
  DurationNs transforms = 0;
  int64_t transform_count = 0;
  DurationNs norms = 0;
  GpuId example = kNone<GpuId>;
};

// Only convolutions on Tensor Cores need channels innermost; without TF32 or 16-bit formats, cuDNN
// converts in the opposite direction.
bool UsesTensorCores(const RuleInput& input, const StepOp& op) {
  for (const GpuId gpu : input.work.GpuWorkOf(op)) {
    if (input.work.IsKernel(gpu) && input.work.KindOf(gpu).tensor_cores == TensorCores::kYes) {
      return true;
    }
  }
  return false;
}

void AddConvolution(const RuleInput& input, const StepOp& op, Found& found) {
  if (!UsesTensorCores(input, op)) return;
  for (const GpuId gpu : input.work.GpuWorkOf(op)) {
    if (!input.work.IsKernel(gpu) || !IsLayoutTransform(input.work.KindOf(gpu))) continue;
    found.transforms += input.work.DurationOf(gpu);
    ++found.transform_count;
    found.edits.Remove(gpu);
    if (!IsSet(found.example)) found.example = gpu;
  }
}

void AddNorm(const RuleInput& input, const StepOp& op, const GpuPeaks& peaks, Found& found) {
  const OpCost cost = input.costs.CostOf(op.op);
  if (cost.bytes <= 0) return;
  // The cost counts input and output once each, and backward also the gradient.
  const double tensors = op.direction == Direction::kBackward ? 3 : 2;
  const double bytes = cost.bytes / tensors * NormPasses(op.direction);
  const double good = 2'000 + bytes / (kNormBandwidth * peaks.bandwidth) * 1e9;
  for (const GpuId gpu : input.work.GpuWorkOf(op)) {
    if (!input.work.IsKernel(gpu)) continue;
    if (input.work.KindOf(gpu).layout == DataLayout::kChannelsLast) return;
  }
  if (static_cast<double>(op.gpu_time) <= good) return;
  found.norms += op.gpu_time;
  for (const GpuId gpu : input.work.GpuWorkOf(op)) {
    found.edits.Scale(gpu, good / static_cast<double>(op.gpu_time));
  }
}

RuleResult Run(const RuleInput& input) {
  bool convolutions = false;
  Found found;
  const auto& peaks = input.costs.peaks();
  for (const StepOp& op : input.work.ops()) {
    const std::string_view name = input.work.NameOf(op);
    if (Contains(name, "conv")) {
      convolutions = true;
      AddConvolution(input, op, found);
    }
  }
  if (!convolutions) return Healthy{};
  if (found.transform_count == 0) return Healthy{};
  for (const StepOp& op : input.work.ops()) {
    if (peaks && Contains(input.work.NameOf(op), "batch_norm")) AddNorm(input, op, *peaks, found);
  }
  Finding finding;
  finding.problem = fmt::format(
      "Convolutions receive inputs with channels outermost (NCHW) and convert them for the Tensor "
      "Cores: {} conversions take {} per step{}.",
      input.PerStep(static_cast<size_t>(found.transform_count)),
      input.TimePerStep(found.transforms),
      found.norms > 0
          ? fmt::format(", and batch norm takes {} in this layout", input.TimePerStep(found.norms))
          : "");
  finding.recommendation =
      "Keep channels innermost: model = model.to(memory_format=torch.channels_last) and x = "
      "x.to(memory_format=torch.channels_last) for every input. In JAX and CUDA C++: NHWC layouts "
      "(dimension_numbers=('NHWC', 'HWIO', 'NHWC'), CUDNN_TENSOR_NHWC).";
  finding.evidence.push_back({"layout conversion", input.PerStep(found.transforms),
                              input.PerStep(static_cast<size_t>(found.transform_count)),
                              kNone<HostId>, found.example});
  finding.confidence = Confidence::kMedium;
  finding.assumes = "all layers between the convolutions keep the layout";
  finding.edit = std::move(found.edits);
  return finding;
}

}  // namespace

Rule Define() { return {"channels-last", "Layout conversions around convolutions", Run}; }

}  // namespace warpsight::rules::channels_last
