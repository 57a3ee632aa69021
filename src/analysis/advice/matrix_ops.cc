#include "analysis/advice/matrix_ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/advice/step_work.h"
#include "analysis/kernels/eligible_work.h"
#include "analysis/roofline/cost_model.h"

namespace warpsight {
namespace {

// The facts about an op's matrix work that follow from its inputs. Calls with equal inputs share
// them.
struct Shapes {
  OpCost cost;
  std::optional<GemmShape> gemm;
  bool transposed = false;
  std::optional<ConvShape> conv;
  bool channels_last = false;
  std::optional<AttentionShape> attention;
};

// Reads the shape from the first input: queries in forward attention ops, their gradient in
// backward ops. Both end with the width of a head; batch, heads and length come before it, in
// different orders.
std::optional<AttentionShape> AttentionOf(const Signature& signature, const OpCost& cost,
                                          bool backward) {
  const Tensor* queries = signature.TensorAt(0);
  const Tensor* keys = signature.TensorAt(backward ? 2 : 1);
  if (cost.flops <= 0 || queries == nullptr || keys == nullptr) return std::nullopt;
  if (queries->rank() != 4 || keys->rank() != 4) return std::nullopt;
  AttentionShape shape;
  shape.width = static_cast<double>(queries->Dim(-1));
  shape.queries = static_cast<double>(std::max(queries->Dim(1), queries->Dim(2)));
  shape.keys = static_cast<double>(std::max(keys->Dim(1), keys->Dim(2)));
  if (shape.width <= 0 || shape.queries <= 0) return std::nullopt;
  shape.batch_heads = queries->Elements() / shape.width / shape.queries;
  const double full =
      4 * shape.batch_heads * shape.queries * shape.keys * shape.width * (backward ? 2.5 : 1.0);
  shape.causal = cost.flops < 0.75 * full;
  return shape;
}

// Whether the first operand of a product is transposed: consecutive in its first dimension.
bool HasTransposedOperand(const Signature& signature) {
  const Tensor* first = signature.TensorAt(0);
  if (first == nullptr || first->strides().size() != 2) return false;
  return first->strides()[0] == 1 && first->strides()[1] > 1;
}

// Whether channels are innermost in the first input of a convolution.
bool HasChannelsInnermost(const Signature& signature) {
  const Tensor* first = signature.TensorAt(0);
  return first != nullptr && first->strides().size() >= 3 && first->strides()[1] == 1;
}

// The share of the tensors whose layout is converted (ResNet-50), since some kernels read or write
// either layout. Each of these is read and written at the usual share of the bandwidth.
constexpr double kConverted = 0.45;

// How much slower products become if their rows do not begin at multiples of 16 bytes (H200: bf16
// 4.2 to 8.2 times for odd sizes, 2.7 to 3.6 times for other multiples of 2; TF32 2.1 to 3.4
// times). Only dimensions that are consecutive in memory matter: not m, unless the first operand is
// transposed.
double MisalignmentPenalty(const GemmShape& shape, bool transposed, Precision precision) {
  if (precision == Precision::kFp32 || precision == Precision::kFp64) return 1;
  const auto aligned = static_cast<int64_t>(16 / BytesOf(precision));
  const int64_t sizes = shape.n | shape.k | (transposed ? shape.m : 0);
  if (sizes % aligned == 0) return 1;
  if (precision == Precision::kTf32) return 2.7;
  return sizes % 2 == 0 ? 3.0 : 5.0;
}

// TF32 kernels cannot read transposed operands quickly: products with a transposed first operand
// reach about 0.55 of the speed of others (H200).
constexpr double kTransposedTf32 = 1.8;

class ShapeMemo {
 public:
  ShapeMemo(ProfileView profile, const CostModel& costs) : profile_(profile), costs_(costs) {}

  const Shapes& Of(HostId op) {
    const HostRangesTable& host = profile_.trace.tables.host;
    const Key key{host.name[Index(op)], host.signature[Index(op)],
                  profile_.facts.host.direction[Index(op)]};
    const auto [it, added] = known_.try_emplace(key);
    if (added) it->second = Look(op, std::get<1>(key), std::get<2>(key));
    return it->second;
  }

 private:
  using Key = std::tuple<StringId, SignatureId, Direction>;

  Shapes Look(HostId op, SignatureId signature, Direction direction) const {
    Shapes shapes;
    shapes.cost = costs_.CostOf(op);
    shapes.gemm = costs_.GemmOf(op);
    if (!shapes.gemm) shapes.conv = costs_.ConvOf(op);
    const Signature* inputs = profile_.trace.inputs.Of(signature);
    if (inputs == nullptr) return shapes;
    if (shapes.gemm) shapes.transposed = HasTransposedOperand(*inputs);
    if (shapes.conv) shapes.channels_last = HasChannelsInnermost(*inputs);
    if (!shapes.gemm && !shapes.conv) {
      shapes.attention = AttentionOf(*inputs, shapes.cost, direction == Direction::kBackward);
    }
    return shapes;
  }

  ProfileView profile_;
  const CostModel& costs_;
  std::map<Key, Shapes> known_;
};

}  // namespace

std::vector<MatrixOp> FindMatrixOps(ProfileView profile, const StepWork& work,
                                    const CostModel& costs) {
  const FactTables& facts = profile.facts;
  std::vector<MatrixOp> ops;
  std::vector<uint32_t> position(profile.trace.tables.host.start.size(), UINT32_MAX);
  EligibleWork eligible(profile);
  for (const GpuId gpu : work.gpu()) {
    const HostId op = facts.gpu.op[Index(gpu)];
    if (!IsSet(op) || !work.IsKernel(gpu)) continue;
    const KernelKind& kernel = work.KindOf(gpu);
    if (!IsMatrixFamily(kernel.family) || !eligible(gpu)) continue;
    uint32_t& at = position[Index(op)];
    if (at == UINT32_MAX) {
      at = static_cast<uint32_t>(ops.size());
      MatrixOp found;
      found.op = op;
      found.direction = facts.host.direction[Index(op)];
      found.tensor_cores = found.no_tensor_cores = true;
      ops.push_back(std::move(found));
    }
    MatrixOp& found = ops[at];
    found.kernels.push_back(gpu);
    found.time += work.DurationOf(gpu);
    found.tensor_cores &= kernel.tensor_cores == TensorCores::kYes;
    found.no_tensor_cores &= kernel.tensor_cores == TensorCores::kNo;
    if (found.precision == Precision::kUnknown) found.precision = kernel.precision;
  }
  ShapeMemo shapes(profile, costs);
  for (MatrixOp& found : ops) {
    const Shapes& known = shapes.Of(found.op);
    found.cost = known.cost;
    found.gemm = known.gemm;
    found.transposed = known.transposed;
    found.conv = known.conv;
    found.channels_last = known.channels_last;
    found.attention = known.attention;
    if (found.precision == Precision::kUnknown) found.precision = known.cost.precision;
  }
  return ops;
}

double MatrixOpNs(const MatrixOp& op, Precision precision, const GpuPeaks& peaks) {
  if (!IsKnown(peaks.Peak(precision, true)) || !IsKnown(peaks.bandwidth)) return kMissingReal;
  if (op.gemm) {
    const bool slow = op.transposed && precision == Precision::kTf32;
    return GemmNs(*op.gemm, precision, peaks) * (slow ? kTransposedTf32 : 1) *
           MisalignmentPenalty(*op.gemm, op.transposed, precision);
  }
  if (op.conv) {
    if (!op.conv->backward) {
      return ConvolutionNs(*op.conv, ConvPass::kForward, precision, peaks);
    }
    // In the first layer, the gradient of the input is not computed.
    const double passes = op.cost.flops > 0 ? op.cost.flops / op.conv->Flops() : 2;
    const double weights = ConvolutionNs(*op.conv, ConvPass::kWeightGradient, precision, peaks);
    if (passes < 1.5) return weights;
    return weights + ConvolutionNs(*op.conv, ConvPass::kInputGradient, precision, peaks);
  }
  if (op.attention && BytesOf(precision) == 2) {
    return FusedAttentionNs(*op.attention, op.direction == Direction::kBackward, peaks);
  }
  if (op.cost.flops <= 0 || op.cost.bytes <= 0) return kMissingReal;
  // Recurrent cells, and other ops that contain products.
  const double scale = BytesOf(precision) / BytesOf(op.cost.precision);
  return GemmNs(op.cost.flops, op.cost.bytes * scale, precision, peaks);
}

double LayoutConversionNs(const MatrixOp& op, Precision precision, const GpuPeaks& peaks) {
  if (!op.conv || op.channels_last || !op.no_tensor_cores) return 0;
  const double inputs = static_cast<double>(op.conv->batch * op.conv->in_channels);
  const double outputs = static_cast<double>(op.conv->batch * op.conv->out_channels);
  double elements = 0;
  for (const auto& [channels, sizes] :
       {std::pair{inputs, &op.conv->input}, std::pair{outputs, &op.conv->output}}) {
    double tensor = channels;
    for (const int64_t size : *sizes) tensor *= static_cast<double>(size);
    elements += tensor;
  }
  // Each tensor is read and written once; the backward pass has the input, its gradient and that of
  // the output.
  const double passes = op.conv->backward ? 1.5 : 1;
  const double bytes = kConverted * passes * 2 * elements * BytesOf(precision);
  return TrafficNs(bytes, peaks);
}

void SpeedUp(const MatrixOp& op, double time_ns, KernelEdits& edits) {
  if (time_ns < 0 || op.time <= 0) return;
  const double factor = time_ns / static_cast<double>(op.time);
  if (factor >= 1) return;
  for (const GpuId kernel : op.kernels) edits.Scale(kernel, factor);
}

std::string Describe(const RuleInput& input, const MatrixOp& op) {
  const Trace& trace = input.profile.trace;
  std::string text(trace.Text(trace.tables.host.name[Index(op.op)]));
  if (op.gemm) {
    text += op.gemm->batch > 1 ? fmt::format(" [{}, {}, {}] x [{}, {}]", op.gemm->batch, op.gemm->m,
                                             op.gemm->k, op.gemm->k, op.gemm->n)
                               : fmt::format(" [{}, {}] x [{}, {}]", op.gemm->m, op.gemm->k,
                                             op.gemm->k, op.gemm->n);
  } else if (op.conv) {
    text += fmt::format(" {} -> {} channels", op.conv->in_channels, op.conv->out_channels);
    std::string filter;
    for (const int64_t size : op.conv->filter)
      filter += fmt::format("{}{}", filter.empty() ? "" : "x", size);
    if (!filter.empty()) text += ", " + filter;
    if (!op.conv->input.empty()) text += fmt::format(" on {}", op.conv->input.front());
    for (size_t i = 1; i < op.conv->input.size(); ++i)
      text += fmt::format("x{}", op.conv->input[i]);
  }
  return text;
}

std::vector<Evidence> CostliestOps(const RuleInput& input, const std::vector<const MatrixOp*>& ops,
                                   size_t count) {
  std::map<std::string, Evidence> by_text;
  for (const MatrixOp* op : ops) {
    Evidence& evidence = by_text[Describe(input, *op)];
    if (!IsSet(evidence.host)) {
      evidence.host = op->op;
      evidence.gpu = op->kernels.front();
      evidence.time_per_step = evidence.count_per_step = 0;
    }
    evidence.time_per_step += op->time;
    ++evidence.count_per_step;
  }
  std::vector<Evidence> list;
  for (auto& [text, evidence] : by_text) {
    evidence.text = text;
    evidence.time_per_step = input.PerStep(evidence.time_per_step);
    evidence.count_per_step = input.PerStep(static_cast<size_t>(evidence.count_per_step));
    list.push_back(std::move(evidence));
  }
  std::stable_sort(list.begin(), list.end(), [](const Evidence& a, const Evidence& b) {
    return a.time_per_step > b.time_per_step;
  });
  if (list.size() > count) list.resize(count);
  return list;
}

}  // namespace warpsight
