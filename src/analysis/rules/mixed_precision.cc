#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/advice/matrix_ops.h"
#include "analysis/facts/range_names.h"
#include "analysis/roofline/cost_model.h"
#include "base/text.h"

namespace warpsight::rules::mixed_precision {

Rule Define();

namespace {

// How automatic mixed precision treats an op (PyTorch, "Autocast Op Reference").
enum class Treatment : uint8_t {
  kFollows,  // computes in the type of its inputs
  kFp32,     // computes in fp32, converting its inputs
};

Treatment TreatmentOf(std::string_view name) {
  for (const std::string_view part :
       {"softmax", "layer_norm", "rms_norm", "group_norm", "loss", "norm", "sum", "prod", "cumsum",
        "exp", "log", "pow", "embedding", "fill_", "zero_", "adam", "sgd", "foreach"}) {
    // Batch norm accepts 16-bit inputs.
    if (Contains(name, part) && !Contains(name, "batch_norm")) return Treatment::kFp32;
  }
  return Treatment::kFollows;
}

// Products and convolutions that currently run in fp32 or TF32.
struct Candidates {
  std::vector<const MatrixOp*> ops;
  DurationNs time = 0;
  DurationNs tf32_time = 0;

  bool mostly_tf32() const { return 2 * tf32_time > time; }
};

Candidates FindCandidates(const std::vector<MatrixOp>& ops) {
  Candidates found;
  for (const MatrixOp& op : ops) {
    if (op.precision != Precision::kFp32 && op.precision != Precision::kTf32) continue;
    if (op.direction == Direction::kOptimizer) continue;
    found.ops.push_back(&op);
    found.time += op.time;
    if (op.precision == Precision::kTf32) found.tf32_time += op.time;
  }
  return found;
}

// With channels outermost, batch norm becomes slower in 16 bits: its kernels reach 0.40 of the
// share of the bandwidth that they reach in fp32 (H200: 0.56 and 1.39 TB/s).
constexpr double kOutermostNorm = 1.24;

class Model {
 public:
  Model(const RuleInput& input, const GpuPeaks& peaks, Precision precision)
      : input_(input), peaks_(peaks), precision_(precision) {}

  // Changes a product and adds the casts around it: of weights once per pass, and of activations
  // that come from or go to an op that stays in fp32.
  void Product(const MatrixOp& op) {
    const double good = MatrixOpNs(op, precision_, peaks_);
    if (good > 0) SpeedUp(op, good + LayoutConversionNs(op, precision_, peaks_), edits_);
    double elements = 0;
    if (op.gemm && op.direction == Direction::kForward && op.gemm->batch == 1) {
      const auto m = static_cast<double>(op.gemm->m);
      const auto n = static_cast<double>(op.gemm->n);
      const auto k = static_cast<double>(op.gemm->k);
      elements = 2 * k * n + (residual_stream_ ? 2 * m * std::min(n, k) : 0);
    } else if (op.conv && !op.conv->backward) {
      double weights = static_cast<double>(op.conv->in_channels * op.conv->out_channels) /
                       static_cast<double>(op.conv->groups);
      for (const int64_t size : op.conv->filter) weights *= static_cast<double>(size);
      elements = 2 * weights;
    }
    if (elements > 0) edits_.AddNs(op.kernels.back(), CastNs(elements, peaks_));
  }

  // Changes other ops. Ops that follow the type of their inputs move half of the bytes, except
  // additions in networks whose normalization keeps the residual stream in fp32.
  void OtherOp(const StepOp& op) {
    if (op.direction == Direction::kOptimizer || op.direction == Direction::kDataLoading) return;
    const std::string_view name = input_.work.NameOf(op);
    const OpCost cost = input_.costs.CostOf(op.op);
    if (TreatmentOf(name) == Treatment::kFp32) {
      // The logits are 16-bit; they are converted to fp32 for the loss, and their gradient back.
      if (Contains(name, "softmax") || Contains(name, "cross_entropy")) Widened(op, cost);
      return;
    }
    const bool addition = Contains(name, "::add") || Contains(name, "::mul");
    if (residual_stream_ && addition) return;
    if (cost.precision != Precision::kFp32 && cost.precision != Precision::kUnknown) return;
    for (const GpuId gpu : input_.work.GpuWorkOf(op)) {
      if (!input_.work.IsKernel(gpu) || IsMatrixFamily(input_.work.KindOf(gpu).family)) continue;
      const bool norm = Contains(name, "batch_norm") && !channels_last_;
      edits_.Scale(gpu, norm ? kOutermostNorm : HalfTheBytes(gpu));
    }
  }

  void set_residual_stream(bool value) { residual_stream_ = value; }
  void set_channels_last(bool value) { channels_last_ = value; }
  KernelEdits Take() { return std::move(edits_); }

 private:
  void Widened(const StepOp& op, const OpCost& cost) {
    if (cost.bytes <= 0 || op.count == 0) return;
    // Each is read once and written once in fp32.
    edits_.AddNs(input_.work.GpuWorkOf(op).front(), CastNs(cost.bytes / 8, peaks_));
  }

  // The time of short kernels does not depend on their bytes.
  double HalfTheBytes(GpuId gpu) const {
    const auto time = static_cast<double>(input_.work.DurationOf(gpu));
    constexpr double kStart = 1'500;
    return time <= kStart ? 1 : (kStart + (time - kStart) / 2) / time;
  }

  const RuleInput& input_;
  const GpuPeaks& peaks_;
  Precision precision_;
  bool residual_stream_ = false;
  bool channels_last_ = false;
  KernelEdits edits_;
};

// Whether the inputs of products come from normalization that stays in fp32: true for transformers,
// but not for convolutional networks with batch norm.
bool HasResidualStream(const RuleInput& input) {
  for (const StepOp& op : input.work.ops()) {
    const std::string_view name = input.work.NameOf(op);
    if (Contains(name, "layer_norm") || Contains(name, "rms_norm")) return true;
  }
  return false;
}

bool UsesBatchNorm(const RuleInput& input) {
  const std::span<const StepOp> ops = input.work.ops();
  return std::any_of(ops.begin(), ops.end(), [&](const StepOp& op) {
    return Contains(input.work.NameOf(op), "batch_norm");
  });
}

std::string Recommendation(const ProgramKind& program, bool bf16) {
  const std::string_view type = bf16 ? "bfloat16" : "float16";
  if (program.framework == Framework::kJax) {
    return "Use bfloat16 parameters, or jmp.Policy(compute_dtype=jnp.bfloat16).";
  }
  if (!program.trains) {
    return fmt::format(
        "Run the model in 16 bits: with torch.autocast(\"cuda\", dtype=torch.{}): model(x), or "
        "model.to(torch.{}) if the weights may be rounded, too{}.",
        type, type, bf16 ? "" : "; keep channels innermost (memory_format=torch.channels_last)");
  }
  return fmt::format(
      "Use automatic mixed precision around forward pass and loss: with torch.autocast(\"cuda\", "
      "dtype=torch.{}): loss = loss_fn(model(x), y){}.",
      type,
      bf16 ? ""
           : ", scale the loss with torch.amp.GradScaler, and keep channels innermost "
             "(memory_format=torch.channels_last)");
}

RuleResult Run(const RuleInput& input) {
  const std::vector<MatrixOp>& ops = input.matrix_ops;
  if (ops.empty()) return Healthy{};
  const Candidates found = FindCandidates(ops);
  if (found.ops.empty()) return Healthy{};
  const auto& peaks = input.costs.peaks();
  if (!peaks) return WithoutPeaks();
  // PyTorch's batch norm is several times slower in bf16 than in fp16.
  const bool bf16 = IsKnown(peaks->bf16) && !UsesBatchNorm(input);
  const Precision precision = bf16 ? Precision::kBf16 : Precision::kFp16;
  if (!IsKnown(peaks->Peak(precision, true))) {
    return Skipped{fmt::format("{} has no 16-bit matrix units", peaks->name)};
  }
  if (std::none_of(found.ops.begin(), found.ops.end(),
                   [](const MatrixOp* op) { return op->has_shape(); })) {
    return WithoutShapes();
  }
  Model model(input, *peaks, precision);
  model.set_residual_stream(HasResidualStream(input));
  model.set_channels_last(std::any_of(found.ops.begin(), found.ops.end(),
                                      [](const MatrixOp* op) { return op->channels_last; }));
  for (const MatrixOp* op : found.ops) model.Product(*op);
  for (const StepOp& op : input.work.ops()) model.OtherOp(op);
  Finding finding;
  finding.problem = fmt::format(
      "{} per step of matrix products and convolutions run in {}; 16-bit Tensor Cores are "
      "{:.0f} times as fast.",
      input.TimePerStep(found.time), found.mostly_tf32() ? "TF32" : "fp32",
      peaks->Peak(precision, true) /
          (found.mostly_tf32() ? peaks->Peak(Precision::kTf32, true) : peaks->fp32));
  finding.recommendation = Recommendation(input.program, bf16);
  finding.evidence = CostliestOps(input, found.ops, 5);
  finding.confidence = Confidence::kMedium;
  finding.assumes =
      input.program.trains
          ? "the model trains equally well with 16-bit products (weights stay in fp32)"
          : "the results are equally good with 16-bit products (weights stay in fp32)";
  finding.edit = model.Take();
  return finding;
}

}  // namespace

Rule Define() {
  return {"mixed-precision", "Products in fp32 that could run in 16 bits", Run, "tf32"};
}

}  // namespace warpsight::rules::mixed_precision
