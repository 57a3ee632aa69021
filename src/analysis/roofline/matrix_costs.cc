#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "analysis/roofline/op_rules.h"

namespace warpsight {
namespace {

double Size(int64_t number) { return static_cast<double>(number); }

// The element type of the operands of a product: that of the first one, since frameworks require
// equal types.
ElementType OperandType(const GemmShape& shape) {
  return shape.a != ElementType::kUnknown ? shape.a : shape.b;
}

// The product of all dimensions except the last `keep`. Saturates, since shapes come from a file.
int64_t Leading(const Tensor& tensor, int64_t keep) {
  double product = 1;
  for (int64_t i = 0; i + keep < tensor.rank(); ++i) product *= Size(tensor.Dim(i));
  constexpr double kMost = 9e18;
  return static_cast<int64_t>(product < kMost ? product : kMost);
}

std::optional<GemmShape> Checked(const Tensor& a, const Tensor& b, GemmShape shape, int64_t b_k) {
  if (shape.k != b_k) return std::nullopt;
  shape.a = a.type;
  shape.b = b.type;
  return shape;
}

}  // namespace

double GemmShape::Flops() const { return 2 * Size(batch) * Size(m) * Size(n) * Size(k); }

// mm, bmm and similar ops; those with an addend have it first. Operand a is argument `first`.
std::optional<GemmShape> MmShape(const OpRule& rule, const Signature& signature) {
  const Tensor* a = signature.TensorAt(static_cast<size_t>(rule.first));
  const Tensor* b = signature.TensorAt(static_cast<size_t>(rule.first) + 1);
  if (a == nullptr || b == nullptr) return std::nullopt;
  if (a->rank() == 2 && b->rank() == 2) {
    return Checked(*a, *b, {1, a->Dim(0), b->Dim(1), a->Dim(1)}, b->Dim(0));
  }
  if (a->rank() == 2 && b->rank() == 1) {
    return Checked(*a, *b, {1, a->Dim(0), 1, a->Dim(1)}, b->Dim(0));
  }
  if (a->rank() == 1 && b->rank() == 1) {
    return Checked(*a, *b, {1, 1, 1, a->Dim(0)}, b->Dim(0));
  }
  if (a->rank() == 3 && b->rank() == 3) {
    return Checked(*a, *b, {a->Dim(0), a->Dim(1), b->Dim(2), a->Dim(2)}, b->Dim(1));
  }
  return std::nullopt;
}

// input[..., k], weight[n, k].
std::optional<GemmShape> LinearShape(const OpRule&, const Signature& signature) {
  const Tensor* input = signature.TensorAt(0);
  const Tensor* weight = signature.TensorAt(1);
  if (input == nullptr || weight == nullptr || input->rank() < 1 || weight->rank() < 1) {
    return std::nullopt;
  }
  const int64_t n = weight->rank() == 1 ? 1 : weight->Dim(0);
  return Checked(*input, *weight, {1, Leading(*input, 1), n, input->Dim(-1)}, weight->Dim(-1));
}

// torch.matmul: vectors, matrices, and batches that are broadcast.
std::optional<GemmShape> MatmulShape(const OpRule&, const Signature& signature) {
  const Tensor* a = signature.TensorAt(0);
  const Tensor* b = signature.TensorAt(1);
  if (a == nullptr || b == nullptr || a->rank() < 1 || b->rank() < 1) return std::nullopt;
  GemmShape shape;
  shape.k = a->Dim(-1);
  shape.n = b->rank() == 1 ? 1 : b->Dim(-1);
  const int64_t b_k = b->rank() == 1 ? b->Dim(0) : b->Dim(-2);
  if (b->rank() <= 2) {
    // All rows of a are multiplied with one matrix.
    shape.m = Leading(*a, 1);
    return Checked(*a, *b, shape, b_k);
  }
  shape.m = a->rank() == 1 ? 1 : a->Dim(-2);
  double batch = 1;
  for (int64_t i = 3; i <= std::max(a->rank(), b->rank()); ++i) {
    const int64_t from_a = i <= a->rank() ? a->Dim(-i) : 1;
    const int64_t from_b = i <= b->rank() ? b->Dim(-i) : 1;
    if (from_a != from_b && from_a != 1 && from_b != 1) return std::nullopt;
    batch *= Size(from_a == 1 ? from_b : from_a);
  }
  constexpr double kMost = 9e18;
  shape.batch = static_cast<int64_t>(batch < kMost ? batch : kMost);
  return Checked(*a, *b, shape, b_k);
}

OpCost GemmCost(const OpRule& rule, const CostInput& input) {
  const auto shape = rule.gemm(rule, *input.own);
  if (!shape) return Unavailable(CostGap::kNoShapes);
  // The addend or bias is read, too; addbmm sums over the batch.
  double operands = 0;
  const size_t last = rule.gemm == LinearShape ? 2 : static_cast<size_t>(rule.first) + 1;
  for (size_t i = 0; i <= last; ++i) {
    if (const Tensor* tensor = input.own->TensorAt(i)) {
      operands = AddBytes({operands, tensor->Bytes()});
    }
  }
  const bool sums_batch = rule.factor != 0;
  const double out = Size(sums_batch ? 1 : shape->batch) * Size(shape->m) * Size(shape->n);
  const double element = ElementBytes(OperandType(*shape));
  return MatrixCost(rule, shape->Flops(),
                    AddBytes({operands, element < 0 ? kMissingReal : out * element}),
                    OperandType(*shape));
}

// _scaled_mm(a, b, scale_a, scale_b, bias, scale_result, out_dtype): the type of the output is the
// argument at position `second`; that of _int_mm is int32.
OpCost ScaledMmCost(const OpRule& rule, const CostInput& input) {
  const auto shape = rule.gemm(rule, *input.own);
  if (!shape) return Unavailable(CostGap::kNoShapes);
  ElementType type = ElementType::kInt32;
  if (rule.second > 0) {
    const auto number = input.own->ValueAt(static_cast<size_t>(rule.second)).Integer();
    type = number ? ElementTypeOfNumber(*number) : ElementType::kUnknown;
  }
  const double element = ElementBytes(type);
  const double out = element < 0 ? kMissingReal : Size(shape->m) * Size(shape->n) * element;
  const double bytes =
      AddBytes({input.own->TensorAt(0)->Bytes(), input.own->TensorAt(1)->Bytes(), out});
  return MatrixCost(rule, shape->Flops(), bytes, OperandType(*shape));
}

namespace {

// By PyTorch's number of cuDNN's mode: ReLU, tanh, LSTM, GRU.
constexpr std::array<double, 4> kGatesOfMode = {1, 1, 4, 3};

// The matrix products of a recurrent network: 2·gates·H·(I + H) per step, sample, layer and
// direction. Layers after the first get the outputs of both directions.
double RecurrentFlops(double rows, double inputs, double hidden, double gates, double layers,
                      double directions) {
  const double first = 2 * gates * hidden * (inputs + hidden);
  const double later = 2 * gates * hidden * (directions * hidden + hidden);
  return rows * directions * (first + (layers - 1) * later);
}

// The number of weights and biases of the same network.
double RecurrentWeights(double inputs, double hidden, double gates, double layers,
                        double directions) {
  const double first = gates * hidden * (inputs + hidden + 2);
  const double later = gates * hidden * (directions * hidden + hidden + 2);
  return directions * (first + (layers - 1) * later);
}

}  // namespace

// _cudnn_rnn, miopen_rnn and their backward ops: `second` is the position of the mode, followed by
// hidden size, projection size, layers, batch_first, dropout, train and bidirectional. `factor` is
// 1 forward and 2 backward (gradients of inputs and of weights).
OpCost RecurrentCost(const OpRule& rule, const CostInput& input) {
  const Tensor* x = input.own->TensorAt(0);
  if (x == nullptr || x->rank() < 2) return Unavailable(CostGap::kNoShapes);
  const auto at = static_cast<size_t>(rule.second);
  const auto mode = input.own->ValueAt(at).Integer();
  const auto hidden = input.own->ValueAt(at + 1).Number();
  const auto layers = input.own->ValueAt(at + 3).Number();
  const auto bidirectional = input.own->ValueAt(at + 7).Boolean();
  if (!mode || *mode < 0 || *mode > 3 || !hidden || !layers || !bidirectional) {
    return Unavailable(CostGap::kNoValues);
  }
  const double gates = kGatesOfMode[static_cast<size_t>(*mode)];
  const double directions = *bidirectional ? 2 : 1;
  const double inputs = Size(x->Dim(-1));
  const double rows = inputs > 0 ? x->Elements() / inputs : 0;
  const double flops =
      rule.factor * RecurrentFlops(rows, inputs, *hidden, gates, *layers, directions);
  const double element = ElementBytes(x->type);
  if (element < 0) return MatrixCost(rule, flops, kMissingReal, x->type);
  const double out = rows * directions * *hidden;
  const double weights = RecurrentWeights(inputs, *hidden, gates, *layers, directions);
  // Backward reads input, output, its gradient and the weights, and writes two gradients.
  const double bytes = rule.factor * element * (x->Elements() + out + weights);
  return MatrixCost(rule, flops, bytes, x->type);
}

// aten::lstm, aten::gru, ...: input, states [layers·directions, batch, hidden], weights of all
// layers, then has_biases, num_layers, dropout, train, bidirectional. `factor` is the number of
// gates.
OpCost RecurrentLayerCost(const OpRule& rule, const CostInput& input) {
  const Tensor* x = input.own->TensorAt(0);
  const std::span<const Tensor> states = input.own->ListAt(1);
  const Tensor* state = states.empty() ? input.own->TensorAt(1) : &states.front();
  if (x == nullptr || state == nullptr || x->rank() < 2) return Unavailable(CostGap::kNoShapes);
  const auto layers = input.own->ValueAt(4).Number();
  const auto bidirectional = input.own->ValueAt(7).Boolean();
  if (!layers || !bidirectional) return Unavailable(CostGap::kNoValues);
  const double directions = *bidirectional ? 2 : 1;
  const double hidden = Size(state->Dim(-1));
  const double inputs = Size(x->Dim(-1));
  const double rows = inputs > 0 ? x->Elements() / inputs : 0;
  const double element = ElementBytes(x->type);
  const double weights = RecurrentWeights(inputs, hidden, rule.factor, *layers, directions);
  const double bytes =
      element < 0 ? kMissingReal : element * (x->Elements() + rows * directions * hidden + weights);
  return MatrixCost(rule, RecurrentFlops(rows, inputs, hidden, rule.factor, *layers, directions),
                    bytes, x->type);
}

}  // namespace warpsight
