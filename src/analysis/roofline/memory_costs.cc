// Costs of ops whose time is spent moving data: all except matrix products.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "analysis/roofline/op_rules.h"

namespace warpsight {
namespace {

// The bytes of `elements` of a type.
double BytesOf(double elements, ElementType type) {
  const double size = ElementBytes(type);
  return size < 0 ? kMissingReal : elements * size;
}

double ListElements(std::span<const Tensor> list) {
  double elements = 0;
  for (const Tensor& tensor : list) elements += tensor.Elements();
  return elements;
}

double ListBytes(std::span<const Tensor> list, const CostInput& input) {
  return input.list_element_bytes < 0 ? kMissingReal
                                      : ListElements(list) * input.list_element_bytes;
}

// The shape to which all tensors among the arguments broadcast.
struct Broadcast {
  double elements = 1;
  ElementType type = ElementType::kUnknown;  // the widest of those with the most dimensions
  bool any = false;
};

Broadcast BroadcastOf(const Signature& signature, size_t count = SIZE_MAX) {
  Broadcast result;
  std::vector<int64_t> dims;  // starting with the last one
  bool has_dimensions = false;
  for (size_t i = 0; i < std::min(count, signature.arguments.size()); ++i) {
    const Tensor* tensor = signature.TensorAt(i);
    if (tensor == nullptr) continue;
    result.any = true;
    // A number takes part as a tensor without dimensions; its type does not widen the result.
    const bool first_with_dimensions = tensor->rank() > 0 && !has_dimensions;
    if (first_with_dimensions || (tensor->rank() > 0) == has_dimensions) {
      result.type = first_with_dimensions ? tensor->type : std::max(result.type, tensor->type);
    }
    has_dimensions |= tensor->rank() > 0;
    for (int64_t d = 1; d <= tensor->rank(); ++d) {
      const auto at = static_cast<size_t>(d - 1);
      if (dims.size() <= at) dims.resize(at + 1, 1);
      if (tensor->Dim(-d) != 1) dims[at] = tensor->Dim(-d);
    }
  }
  for (const int64_t dim : dims) result.elements *= static_cast<double>(dim);
  return result;
}

double PerTensor(double factor, double elements) { return factor * elements; }

}  // namespace

OpCost Unavailable(CostGap gap) {
  OpCost cost;
  cost.gap = gap;
  return cost;
}

namespace {

// Absurd shapes give absurd numbers, which count as missing.
double Sound(double number) { return number >= 0 && std::isfinite(number) ? number : kMissingReal; }

}  // namespace

OpCost VectorCost(const OpRule& rule, double flops, double bytes, ElementType type) {
  OpCost cost;
  cost.flops = Sound(flops);
  cost.bytes = Sound(bytes);
  if (cost.flops < 0 && cost.bytes < 0) return Unavailable(CostGap::kNoShapes);
  cost.precision = PrecisionOf(type);
  cost.family = rule.family;
  cost.gap = CostGap::kNone;
  return cost;
}

OpCost MatrixCost(const OpRule& rule, double flops, double bytes, ElementType type) {
  OpCost cost = VectorCost(rule, flops, bytes, type);
  cost.matrix_flops = std::max(0.0, cost.flops);
  return cost;
}

double AddBytes(std::initializer_list<double> parts) {
  double sum = 0;
  for (const double part : parts) {
    if (part < 0) return kMissingReal;
    sum += part;
  }
  return sum;
}

double TensorBytes(const CostInput& input, size_t count) {
  double bytes = 0;
  for (size_t i = 0; i < std::min(count, input.own->arguments.size()); ++i) {
    const Argument& argument = input.own->arguments[i];
    if (const Tensor* tensor = argument.tensor()) bytes = AddBytes({bytes, tensor->Bytes()});
    if (!argument.list().empty()) bytes = AddBytes({bytes, ListBytes(argument.list(), input)});
  }
  return bytes;
}

// Views, allocations and queries of properties of tensors.
OpCost FreeCost(const OpRule& rule, const CostInput&) {
  return VectorCost(rule, 0, 0, ElementType::kUnknown);
}

// `factor` operations per element of the result; the inputs are among the first `first` arguments.
OpCost ElementwiseCost(const OpRule& rule, const CostInput& input) {
  const auto inputs = static_cast<size_t>(rule.first);
  const Broadcast out = BroadcastOf(*input.own, inputs);
  if (!out.any) return Unavailable(CostGap::kNoShapes);
  return VectorCost(rule, PerTensor(rule.factor, out.elements),
                    AddBytes({TensorBytes(input, inputs), BytesOf(out.elements, out.type)}),
                    out.type);
}

// The result is Boolean.
OpCost ComparisonCost(const OpRule& rule, const CostInput& input) {
  const auto inputs = static_cast<size_t>(rule.first);
  const Broadcast out = BroadcastOf(*input.own, inputs);
  if (!out.any) return Unavailable(CostGap::kNoShapes);
  return VectorCost(rule, PerTensor(rule.factor, out.elements),
                    AddBytes({TensorBytes(input, inputs), out.elements}), out.type);
}

// _to_copy(input, dtype, ...): reads the input, writes another type.
OpCost CastCost(const OpRule& rule, const CostInput& input) {
  const Tensor* x = input.own->TensorAt(0);
  if (x == nullptr) return Unavailable(CostGap::kNoShapes);
  ElementType type = x->type;
  if (const auto number = input.own->ValueAt(1).Integer()) type = ElementTypeOfNumber(*number);
  return VectorCost(rule, 0, AddBytes({x->Bytes(), BytesOf(x->Elements(), type)}), x->type);
}

// Ops that only write: fill_, zero_, and random numbers with `factor` operations each.
OpCost FillCost(const OpRule& rule, const CostInput& input) {
  const Tensor* x = input.own->TensorAt(0);
  if (x == nullptr) return Unavailable(CostGap::kNoShapes);
  return VectorCost(rule, PerTensor(rule.factor, x->Elements()), x->Bytes(), x->type);
}

// copy_(target, source) if `factor` is 2; otherwise, reads the first tensor and writes one like it.
OpCost CopyCost(const OpRule& rule, const CostInput& input) {
  const Tensor* first = input.own->TensorAt(0);
  const Tensor* second = rule.factor == 2 ? input.own->TensorAt(1) : first;
  if (first == nullptr || second == nullptr) return Unavailable(CostGap::kNoShapes);
  return VectorCost(rule, 0, AddBytes({second->Bytes(), BytesOf(first->Elements(), first->type)}),
                    first->type);
}

// `factor` operations per input element. Argument 1 lists the dimensions that are reduced; without
// a list, all are. `second` is 1 for ops that write indices (int64), and 2 for those that write
// values and indices.
OpCost ReductionCost(const OpRule& rule, const CostInput& input) {
  const Tensor* x = input.own->TensorAt(0);
  if (x == nullptr) return Unavailable(CostGap::kNoShapes);
  // max(a, b) and min(a, b) are elementwise.
  if (input.own->TensorAt(1) != nullptr) {
    OpRule pairwise = rule;
    pairwise.first = 2;
    return ElementwiseCost(pairwise, input);
  }
  // vector norms have the order before the dimensions
  const size_t dims_at = rule.first > 0 ? static_cast<size_t>(rule.first) : 1;
  double out = 1;
  if (const auto dims = input.own->ValueAt(dims_at).Integers(); dims && !dims->empty()) {
    out = x->Elements();
    for (const int64_t dim : *dims) {
      const double size = static_cast<double>(x->Dim(dim));
      out = size > 0 ? out / size : 0;
    }
  }
  const double value = rule.second == 1 ? 0 : ElementBytes(x->type);
  const double index = rule.second >= 1 ? ElementBytes(ElementType::kInt64) : 0;
  const double written = value < 0 ? kMissingReal : out * (value + index);
  return VectorCost(rule, PerTensor(rule.factor, x->Elements()), AddBytes({x->Bytes(), written}),
                    x->type);
}

// `factor` operations per element of the first tensor. All tensors are read, and one like the first
// is written. Statistics and gradients of scale and shift are small and not counted.
OpCost NormalizationCost(const OpRule& rule, const CostInput& input) {
  const Tensor* x = input.own->TensorAt(0);
  if (x == nullptr) return Unavailable(CostGap::kNoShapes);
  return VectorCost(rule, PerTensor(rule.factor, x->Elements()),
                    AddBytes({TensorBytes(input), BytesOf(x->Elements(), x->type)}), x->type);
}

// Forward (input, dim, half_to_float) or backward (gradient, output, dim, input_dtype).
OpCost SoftmaxCost(const OpRule& rule, const CostInput& input) {
  const Tensor* x = input.own->TensorAt(0);
  if (x == nullptr) return Unavailable(CostGap::kNoShapes);
  ElementType out = x->type;
  const bool backward = input.own->TensorAt(1) != nullptr;
  if (backward) {
    if (const auto type = input.own->ValueAt(3).Integer()) out = ElementTypeOfNumber(*type);
  } else if (input.own->ValueAt(2).Boolean().value_or(false)) {
    out = ElementType::kFp32;
  }
  return VectorCost(rule, PerTensor(rule.factor, x->Elements()),
                    AddBytes({TensorBytes(input), BytesOf(x->Elements(), out)}), x->type);
}

// native_dropout writes a mask of one byte per element; its backward reads it.
OpCost DropoutCost(const OpRule& rule, const CostInput& input) {
  const Tensor* x = input.own->TensorAt(0);
  if (x == nullptr) return Unavailable(CostGap::kNoShapes);
  const bool forward = input.own->TensorAt(1) == nullptr;
  const double mask = forward ? x->Elements() : 0;
  return VectorCost(rule, PerTensor(rule.factor, x->Elements()),
                    AddBytes({TensorBytes(input), BytesOf(x->Elements(), x->type), mask}), x->type);
}

// Losses of two tensors. The argument at position `second` is `reduction`: 0 keeps all elements.
OpCost LossCost(const OpRule& rule, const CostInput& input) {
  const Broadcast all = BroadcastOf(*input.own);
  if (!all.any) return Unavailable(CostGap::kNoShapes);
  const auto reduction = input.own->ValueAt(static_cast<size_t>(rule.second)).Number();
  const double out = reduction && *reduction == 0 ? all.elements : 1;
  return VectorCost(rule, PerTensor(rule.factor, all.elements),
                    AddBytes({TensorBytes(input), BytesOf(out, all.type)}), all.type);
}

// nll_loss_forward(log_probabilities, target, ...): one value per target is read.
OpCost NllLossCost(const OpRule& rule, const CostInput& input) {
  const Tensor* values = input.own->TensorAt(0);
  const Tensor* target = input.own->TensorAt(1);
  if (values == nullptr || target == nullptr) return Unavailable(CostGap::kNoShapes);
  const double picked = target->Elements();
  return VectorCost(rule, PerTensor(rule.factor, picked),
                    AddBytes({BytesOf(picked, values->type), target->Bytes()}), values->type);
}

// nll_loss_backward(gradient, log_probabilities, target, ...): writes one value per target; an
// inner op fills the rest of the gradient with zeros.
OpCost NllLossBackwardCost(const OpRule& rule, const CostInput& input) {
  const Tensor* values = input.own->TensorAt(1);
  const Tensor* target = input.own->TensorAt(2);
  if (values == nullptr || target == nullptr) return Unavailable(CostGap::kNoShapes);
  const double picked = target->Elements();
  return VectorCost(rule, PerTensor(rule.factor, picked),
                    AddBytes({target->Bytes(), BytesOf(picked, values->type)}), values->type);
}

// embedding(weight, indices): reads and writes one row per index.
OpCost EmbeddingCost(const OpRule& rule, const CostInput& input) {
  const Tensor* weight = input.own->TensorAt(0);
  const Tensor* indices = input.own->TensorAt(1);
  if (weight == nullptr || indices == nullptr) return Unavailable(CostGap::kNoShapes);
  const double rows =
      BytesOf(indices->Elements() * static_cast<double>(weight->Dim(-1)), weight->type);
  return VectorCost(rule, 0, AddBytes({indices->Bytes(), rows, rows}), weight->type);
}

// embedding_dense_backward(gradient, indices, ...): adds one row per index to the table's gradient,
// which an inner op fills with zeros.
OpCost EmbeddingBackwardCost(const OpRule& rule, const CostInput& input) {
  const Tensor* gradient = input.own->TensorAt(0);
  const Tensor* indices = input.own->TensorAt(1);
  if (gradient == nullptr || indices == nullptr) return Unavailable(CostGap::kNoShapes);
  const double rows = gradient->Bytes();
  return VectorCost(rule, gradient->Elements(), AddBytes({rows, indices->Bytes(), rows}),
                    gradient->type);
}

// index_select(input, dim, index).
OpCost IndexSelectCost(const OpRule& rule, const CostInput& input) {
  const Tensor* x = input.own->TensorAt(0);
  const Tensor* index = input.own->TensorAt(2);
  if (x == nullptr || index == nullptr) return Unavailable(CostGap::kNoShapes);
  const auto dim = input.own->ValueAt(1).Integer();
  if (!dim) return Unavailable(CostGap::kNoValues);
  const auto size = static_cast<double>(x->Dim(*dim));
  const double out = size > 0 ? x->Elements() / size * index->Elements() : 0;
  const double moved = BytesOf(out, x->type);
  return VectorCost(rule, 0, AddBytes({index->Bytes(), moved, moved}), x->type);
}

// gather(input, dim, index): one element per index.
OpCost GatherCost(const OpRule& rule, const CostInput& input) {
  const Tensor* x = input.own->TensorAt(0);
  const Tensor* index = input.own->TensorAt(2);
  if (x == nullptr || index == nullptr) return Unavailable(CostGap::kNoShapes);
  const double moved = BytesOf(index->Elements(), x->type);
  return VectorCost(rule, 0, AddBytes({index->Bytes(), moved, moved}), x->type);
}

// scatter(target, dim, index, source) and similar ops: reads the source, and reads and writes an
// equal part of the target; `factor` additions per element.
OpCost ScatterCost(const OpRule& rule, const CostInput& input) {
  const Tensor* target = input.own->TensorAt(0);
  const Tensor* index = input.own->TensorAt(2);
  const Tensor* source = input.own->TensorAt(3);
  if (target == nullptr || index == nullptr) return Unavailable(CostGap::kNoShapes);
  const double elements = source != nullptr ? source->Elements() : index->Elements();
  const double moved = BytesOf(elements, target->type);
  const double added = rule.factor > 0 ? moved : 0;
  return VectorCost(rule, PerTensor(rule.factor, elements),
                    AddBytes({index->Bytes(), moved, moved, added}), target->type);
}

// cat(tensors): reads and writes everything once.
OpCost CatCost(const OpRule& rule, const CostInput& input) {
  const std::span<const Tensor> list = input.own->ListAt(0);
  if (list.empty()) return Unavailable(CostGap::kNoShapes);
  const double bytes = ListBytes(list, input);
  if (bytes < 0) return Unavailable(CostGap::kNoShapes);
  return VectorCost(rule, 0, AddBytes({bytes, bytes}), ElementType::kUnknown);
}

// Ops on lists of tensors, mostly optimizers: `factor` operations per element of the first list.
// All lists are read, and the first `second` of them are written.
OpCost ListCost(const OpRule& rule, const CostInput& input) {
  const std::span<const Tensor> first = input.own->ListAt(0);
  if (first.empty() || input.list_element_bytes < 0) return Unavailable(CostGap::kNoShapes);
  double bytes = 0;
  int written = 0;
  for (size_t i = 0; i < input.own->arguments.size(); ++i) {
    const Argument& argument = input.own->arguments[i];
    if (const Tensor* tensor = argument.tensor()) bytes = AddBytes({bytes, tensor->Bytes()});
    if (!argument.is_list()) continue;
    // Lists are left out for their length all or none: an empty one here has no tensors.
    const double size = ListBytes(argument.list(), input);
    bytes = AddBytes({bytes, size});
    // Optimizers write parameters and states, and not the gradients between them.
    const bool gradients = rule.first > 0 && i == 1;
    if (gradients || written >= rule.second) continue;
    bytes = AddBytes({bytes, size});
    ++written;
  }
  return VectorCost(rule, PerTensor(rule.factor, ListElements(first)), bytes, ElementType::kFp32);
}

// _thnn_fused_lstm_cell(input_gates, hidden_gates, state, ...) and that of GRU: reads both kinds of
// gates, and writes the gates that the backward pass needs, and the new states.
OpCost LstmCellCost(const OpRule& rule, const CostInput& input) {
  const Tensor* gates = input.own->TensorAt(0);
  const Tensor* state = input.own->TensorAt(2);
  if (gates == nullptr || state == nullptr) return Unavailable(CostGap::kNoShapes);
  return VectorCost(rule, PerTensor(rule.factor, gates->Elements()),
                    AddBytes({TensorBytes(input), gates->Bytes(), state->Bytes(), state->Bytes()}),
                    gates->type);
}

// A kernel generated by torch.compile: its arguments are the tensors that it reads or writes, each
// once. The amount of arithmetic is not recorded.
OpCost FusedKernelCost(const OpRule& rule, const CostInput& input) {
  const Broadcast all = BroadcastOf(*input.own);
  if (!all.any) return Unavailable(CostGap::kNoShapes);
  OpCost cost = VectorCost(rule, kMissingReal, TensorBytes(input), all.type);
  if (cost.bytes < 0) return Unavailable(CostGap::kNoShapes);
  return cost;
}

}  // namespace warpsight
