#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/advice/matrix_ops.h"
#include "analysis/roofline/cost_model.h"

namespace warpsight::rules::tf32 {

Rule Define();

namespace {

RuleResult Run(const RuleInput& input) {
  const std::vector<MatrixOp>& ops = input.matrix_ops;
  std::vector<const MatrixOp*> slow;
  DurationNs time = 0;
  for (const MatrixOp& op : ops) {
    if (!op.no_tensor_cores || op.precision != Precision::kFp32) continue;
    slow.push_back(&op);
    time += op.time;
  }
  if (slow.empty()) return Healthy{};
  const auto& peaks = input.costs.peaks();
  if (!peaks) return WithoutPeaks();
  if (!IsKnown(peaks->tf32)) return Skipped{fmt::format("{} has no TF32", peaks->name)};
  KernelEdits edits;
  bool convolutions = false;
  for (const MatrixOp* op : slow) {
    const double good = MatrixOpNs(*op, Precision::kTf32, *peaks);
    if (good > 0) {
      SpeedUp(*op, good + LayoutConversionNs(*op, Precision::kTf32, *peaks), edits);
    }
    convolutions |= op->conv.has_value();
  }
  if (edits.empty()) return WithoutShapes();
  Finding finding;
  finding.problem = fmt::format(
      "{} per step of fp32 matrix products and convolutions run on CUDA cores; TF32 would move "
      "them to Tensor Cores.",
      input.TimePerStep(time));
  finding.recommendation = fmt::format(
      "Allow TF32: torch.set_float32_matmul_precision(\"high\"){}. In JAX: "
      "jax.config.update(\"jax_default_matmul_precision\", \"tensorfloat32\"). In cuBLAS: "
      "cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH).",
      convolutions ? " and torch.backends.cudnn.allow_tf32 = True" : "");
  finding.evidence = CostliestOps(input, slow, 5);
  finding.confidence = Confidence::kMedium;
  finding.assumes = fmt::format(
      "10 bits of mantissa in products are enough (sums stay in fp32), which holds for most {}",
      input.program.trains ? "training" : "inference");
  finding.edit = std::move(edits);
  return finding;
}

}  // namespace

Rule Define() { return {"tf32", "fp32 products on CUDA cores", Run}; }

}  // namespace warpsight::rules::tf32
