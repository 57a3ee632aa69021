#include <cstdint>
#include <optional>

#include "analysis/roofline/op_rules.h"

namespace warpsight {
namespace {

struct AttentionShape {
  double batch = 0;
  double heads = 0;
  double queries = 0;
  double keys = 0;
  double depth = 0;        // of queries and keys
  double value_depth = 0;  // of values
  const Tensor* q = nullptr;
  const Tensor* k = nullptr;
  const Tensor* v = nullptr;

  // The products of queries with keys and of weights with values: 4·B·H·Tq·Tk·D if both depths are
  // equal.
  double Flops() const { return 2 * batch * heads * queries * keys * (depth + value_depth); }
};

// q, k and v are consecutive arguments, starting with `first`: [batch, heads, time, depth], or with
// time before heads.
std::optional<AttentionShape> ShapeOf(const Signature& signature, size_t first, bool time_first) {
  AttentionShape shape;
  shape.q = signature.TensorAt(first);
  shape.k = signature.TensorAt(first + 1);
  shape.v = signature.TensorAt(first + 2);
  if (shape.q == nullptr || shape.k == nullptr || shape.v == nullptr) return std::nullopt;
  // Packed sequences, [tokens, heads, depth]: their lengths are not recorded.
  if (shape.q->rank() != 4 || shape.k->rank() != 4 || shape.v->rank() != 4) return std::nullopt;
  const int64_t time = time_first ? 1 : 2;
  const int64_t heads = time_first ? 2 : 1;
  shape.batch = static_cast<double>(shape.q->Dim(0));
  shape.heads = static_cast<double>(shape.q->Dim(heads));
  shape.queries = static_cast<double>(shape.q->Dim(time));
  shape.keys = static_cast<double>(shape.k->Dim(time));
  shape.depth = static_cast<double>(shape.q->Dim(3));
  shape.value_depth = static_cast<double>(shape.v->Dim(3));
  return shape;
}

// The share of query-key pairs that a causal mask keeps: half of a square. With fewer queries than
// keys, as when a cache is used, the mask is aligned to the end.
double CausalShare(const AttentionShape& shape) {
  if (shape.keys <= 0 || shape.queries > shape.keys) return 0.5;
  return 1 - shape.queries / (2 * shape.keys);
}

// Whether a value asks for a causal mask: a Boolean, or xFormers' kind of mask (1 and 2 are
// causal).
std::optional<bool> IsCausal(const InputValue& value) {
  if (value.Integer() == 2) return true;
  return value.Boolean();
}

// The backward pass computes five products where the forward pass computes two.
constexpr double kBackward = 2.5;

// `second` is the position of is_causal. The forward pass reads q, k, v and writes an output of the
// shape of q; the backward pass also reads the output and its gradient, and writes three gradients.
OpCost CostOf(const OpRule& rule, const Signature& signature, size_t first, bool time_first,
              bool backward) {
  const auto shape = ShapeOf(signature, first, time_first);
  if (!shape) return Unavailable(CostGap::kNoShapes);
  const auto causal = IsCausal(signature.ValueAt(static_cast<size_t>(rule.second)));
  if (!causal) return Unavailable(CostGap::kNoValues);
  const double inputs = AddBytes({shape->q->Bytes(), shape->k->Bytes(), shape->v->Bytes()});
  const double element = ElementBytes(shape->q->type);
  const double out =
      element < 0 ? kMissingReal
                  : element * shape->batch * shape->heads * shape->queries * shape->value_depth;
  const double flops = shape->Flops() * (*causal ? CausalShare(*shape) : 1);
  if (!backward) return MatrixCost(rule, flops, AddBytes({inputs, out}), shape->q->type);
  return MatrixCost(rule, kBackward * flops, AddBytes({inputs, out, out, inputs}), shape->q->type);
}

}  // namespace

OpCost AttentionCost(const OpRule& rule, const CostInput& input) {
  return CostOf(rule, *input.own, 0, false, false);
}

OpCost AttentionBackwardCost(const OpRule& rule, const CostInput& input) {
  return CostOf(rule, *input.own, 1, false, true);
}

OpCost AttentionTimeFirstCost(const OpRule& rule, const CostInput& input) {
  return CostOf(rule, *input.own, 0, true, false);
}

OpCost AttentionTimeFirstBackwardCost(const OpRule& rule, const CostInput& input) {
  return CostOf(rule, *input.own, 1, true, true);
}

// The backward node of a custom function: its cost follows from the inputs of the forward function.
OpCost AttentionThroughForwardCost(const OpRule& rule, const CostInput& input) {
  if (input.forward == nullptr) return Unavailable(CostGap::kNoShapes);
  return CostOf(rule, *input.forward, 0, true, true);
}

}  // namespace warpsight
