#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/advice/matrix_ops.h"
#include "analysis/roofline/cost_model.h"

namespace warpsight::rules::tensor_core_alignment {

Rule Define();

namespace {

// Rows of operands must begin at multiples of 16 bytes for the widest loads: 8 elements of 2 bytes,
// 4 of TF32, 16 of 1 byte (NVIDIA, "Matrix Multiplication Background", Tensor Core requirements).
int64_t Alignment(Precision precision) { return static_cast<int64_t>(16 / BytesOf(precision)); }

int64_t Padded(int64_t size, int64_t alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

// Libraries may also be slower than a good kernel by up to this factor for aligned sizes, so only
// slower products count.
constexpr double kSlower = 1.15;

struct Misaligned {
  const MatrixOp* op;
  GemmShape padded;
};

// m is not a stride of row-major operands, unless one is transposed, as in gradients of weights.
// Padding it costs little.
std::optional<GemmShape> Pad(const MatrixOp& op) {
  const int64_t a = Alignment(op.precision);
  GemmShape padded = *op.gemm;
  padded.m = Padded(padded.m, a);
  padded.n = Padded(padded.n, a);
  padded.k = Padded(padded.k, a);
  const bool same = padded.n == op.gemm->n && padded.k == op.gemm->k && padded.m == op.gemm->m;
  // Vectors and tiny products do not use Tensor Cores well in any case.
  if (same || std::min({op.gemm->m, op.gemm->n, op.gemm->k}) < a) return std::nullopt;
  return padded;
}

std::string Sizes(const std::vector<Misaligned>& ops) {
  std::set<std::pair<int64_t, int64_t>> sizes;
  for (const Misaligned& found : ops) {
    for (const auto& [before, after] : {std::pair{found.op->gemm->m, found.padded.m},
                                        std::pair{found.op->gemm->n, found.padded.n},
                                        std::pair{found.op->gemm->k, found.padded.k}}) {
      if (before != after) sizes.insert({before, after});
    }
  }
  std::string text;
  size_t left = 6;
  for (const auto& [before, after] : sizes) {
    if (left-- == 0) return text + ", ...";
    text += fmt::format("{}{} -> {}", text.empty() ? "" : ", ", before, after);
  }
  return text;
}

RuleResult Run(const RuleInput& input) {
  const std::vector<MatrixOp>& ops = input.matrix_ops;
  const auto& peaks = input.costs.peaks();
  bool any = false;
  bool shapes = false;
  std::vector<Misaligned> found;
  KernelEdits edits;
  DurationNs time = 0;
  for (const MatrixOp& op : ops) {
    shapes |= op.has_shape();
    const bool narrow = BytesOf(op.precision) <= 2 || op.precision == Precision::kTf32;
    if (!narrow || op.precision == Precision::kUnknown) continue;
    any = true;
    if (!op.gemm) continue;
    const std::optional<GemmShape> padded = Pad(op);
    if (!padded || !peaks) continue;
    const double good = GemmNs(*padded, op.precision, *peaks);
    if (static_cast<double>(op.time) < kSlower * good) continue;
    found.push_back({&op, *padded});
    time += op.time;
    SpeedUp(op, good, edits);
  }
  if (!any) return Healthy{};
  if (!shapes) return WithoutShapes();
  if (!peaks) return WithoutPeaks();
  if (found.empty()) return Healthy{};
  Finding finding;
  finding.problem = fmt::format(
      "{} per step of matrix products have sizes that are not multiples of {}, for which libraries "
      "have only slower kernels.",
      input.TimePerStep(time), Alignment(found.front().op->precision));
  finding.recommendation = fmt::format(
      "Pad these sizes: {}. Vocabulary: nn.Embedding and the output layer rounded up to a multiple "
      "of 64 (ignore the extra classes); hidden sizes and heads: multiples of 64; sequence length "
      "and batch: pad or drop the remainder (drop_last=True).",
      Sizes(found));
  std::vector<const MatrixOp*> slow;
  slow.reserve(found.size());
  for (const Misaligned& m : found) slow.push_back(m.op);
  finding.evidence = CostliestOps(input, slow, 5);
  finding.confidence = Confidence::kMedium;
  finding.assumes = "padded products run as fast as products of that size usually do";
  finding.edit = std::move(edits);
  return finding;
}

}  // namespace

Rule Define() {
  return {"tensor-core-alignment", "Products whose sizes do not fit Tensor Cores", Run};
}

}  // namespace warpsight::rules::tensor_core_alignment
