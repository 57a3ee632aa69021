// Costs of ops of inference servers (vLLM, SGLang) and of mixtures of experts.
#include <algorithm>
#include <cstdint>
#include <optional>

#include "analysis/roofline/op_rules.h"

namespace warpsight {
namespace {

double BytesOf(double elements, ElementType type) {
  const double size = ElementBytes(type);
  return size < 0 ? kMissingReal : elements * size;
}

double Size(const Tensor& tensor, int64_t dim) { return static_cast<double>(tensor.Dim(dim)); }

// The tensors of an op that works on rows: those with the shape of the first one, and the bytes of
// these and of others.
struct Rows {
  const Tensor* first = nullptr;
  int count = 0;
  double bytes = 0;  // bytes of those tensors
  double other = 0;  // bytes of weights and scales
};

Rows RowsOf(const Signature& signature) {
  Rows rows;
  for (const Argument& argument : signature.arguments) {
    const Tensor* tensor = argument.tensor();
    if (tensor == nullptr) continue;
    if (rows.first == nullptr) rows.first = tensor;
    if (std::ranges::equal(tensor->dims(), rows.first->dims())) {
      ++rows.count;
      rows.bytes = AddBytes({rows.bytes, tensor->Bytes()});
    } else {
      rows.other = AddBytes({rows.other, tensor->Bytes()});
    }
  }
  return rows;
}

}  // namespace

// rms_norm(input, shape, weight, eps), which allocates its output, or rms_norm(out, input, weight,
// eps).
OpCost RmsNormCost(const OpRule& rule, const CostInput& input) {
  const Rows rows = RowsOf(*input.own);
  if (rows.first == nullptr) return Unavailable(CostGap::kNoShapes);
  const double made = rows.count == 1 ? BytesOf(rows.first->Elements(), rows.first->type) : 0;
  return VectorCost(rule, rule.factor * rows.first->Elements(),
                    AddBytes({rows.bytes, rows.other, made}), rows.first->type);
}

// fused_add_rms_norm(input, residual, weight, eps) writes both in place; others have arguments for
// their outputs (out, input, residual, new residual, weight). Two tensors are read and two written.
OpCost AddRmsNormCost(const OpRule& rule, const CostInput& input) {
  const Rows rows = RowsOf(*input.own);
  if (rows.first == nullptr || rows.count < 2) return Unavailable(CostGap::kNoShapes);
  const double each = rows.bytes < 0 ? kMissingReal : rows.bytes / rows.count;
  const double moved = each < 0 ? kMissingReal : each * std::max(4, rows.count);
  return VectorCost(rule, rule.factor * rows.first->Elements(), AddBytes({moved, rows.other}),
                    rows.first->type);
}

// rotary_embedding(positions, query, key, head_size, cos_sin_cache, ...) rotates both in place: two
// products and a sum per rotated element. From the cache, the rows of the positions are read.
OpCost RotaryCost(const OpRule& rule, const CostInput& input) {
  const Tensor* positions = input.own->TensorAt(0);
  const Tensor* query = input.own->TensorAt(1);
  const Tensor* key = input.own->TensorAt(2);
  const Tensor* cache = input.own->TensorAt(4);
  if (positions == nullptr || query == nullptr || cache == nullptr) {
    return Unavailable(CostGap::kNoShapes);
  }
  const double elements = query->Elements() + (key == nullptr ? 0 : key->Elements());
  double turned = 1;
  if (const auto head = input.own->ValueAt(3).Integer(); head && *head > 0) {
    turned = std::min(1.0, Size(*cache, -1) / static_cast<double>(*head));
  }
  const double rows = positions->Elements() * Size(*cache, -1);
  return VectorCost(rule, rule.factor * elements * turned,
                    AddBytes({BytesOf(2 * turned * elements, query->type), positions->Bytes(),
                              BytesOf(rows, cache->type)}),
                    query->type);
}

// apply_rope_pos_ids_cos_sin_cache(q, k, q_rope, k_rope, cos_sin_cache, pos_ids, ...).
OpCost RotaryToCost(const OpRule& rule, const CostInput& input) {
  const Tensor* query = input.own->TensorAt(0);
  const Tensor* key = input.own->TensorAt(1);
  const Tensor* cache = input.own->TensorAt(4);
  const Tensor* positions = input.own->TensorAt(5);
  if (query == nullptr || key == nullptr || cache == nullptr || positions == nullptr) {
    return Unavailable(CostGap::kNoShapes);
  }
  const double elements = query->Elements() + key->Elements();
  const double moved = BytesOf(elements, query->type);
  const double rows = positions->Elements() * Size(*cache, -1);
  return VectorCost(rule, rule.factor * elements,
                    AddBytes({moved, moved, positions->Bytes(), BytesOf(rows, cache->type)}),
                    query->type);
}

// silu_and_mul(out, input), or silu_and_mul(input), which allocates its output: one half of the
// input's last dimension is the gate of the other half.
OpCost GatedActivationCost(const OpRule& rule, const CostInput& input) {
  const Tensor* first = input.own->TensorAt(0);
  const Tensor* second = input.own->TensorAt(1);
  if (first == nullptr) return Unavailable(CostGap::kNoShapes);
  const bool given = second != nullptr && second->Elements() == 2 * first->Elements();
  const Tensor& in = given ? *second : *first;
  const double out = in.Elements() / 2;
  const double written = given ? first->Bytes() : BytesOf(out, in.type);
  return VectorCost(rule, rule.factor * out, AddBytes({in.Bytes(), written}), in.type);
}

// reshape_and_cache(key, value, key_cache, value_cache, slots, ...): copies rows into the cache.
OpCost CacheWriteCost(const OpRule& rule, const CostInput& input) {
  const Tensor* key = input.own->TensorAt(0);
  const Tensor* value = input.own->TensorAt(1);
  const Tensor* cache = input.own->TensorAt(2);
  if (key == nullptr || value == nullptr || cache == nullptr) {
    return Unavailable(CostGap::kNoShapes);
  }
  const double elements = key->Elements() + value->Elements();
  return VectorCost(
      rule, 0, AddBytes({BytesOf(elements, key->type), BytesOf(elements, cache->type)}), key->type);
}

// _grouped_mm(a, b, offsets, ...). Groups are the leading dimension of a or b, or parts of the rows
// of a [T, K] for b [G, K, N], of the columns of b [K, T] for a [G, M, K], or of the dimension over
// which is summed. `first` is the position of the offsets.
OpCost GroupedMmCost(const OpRule& rule, const CostInput& input) {
  const Tensor* a = input.own->TensorAt(0);
  const Tensor* b = input.own->TensorAt(1);
  if (a == nullptr || b == nullptr || a->rank() < 2 || b->rank() < 2 || a->Dim(-1) != b->Dim(-2)) {
    return Unavailable(CostGap::kNoShapes);
  }
  const double m = Size(*a, -2);
  const double n = Size(*b, -1);
  double batch = 1;  // number of products of this size
  double out = m * n;
  if (a->rank() == 3 && b->rank() == 3) {
    batch = Size(*a, 0);
    out *= batch;
  } else if (a->rank() == 2 && b->rank() == 2) {
    const Tensor* offsets = input.own->TensorAt(static_cast<size_t>(rule.first));
    if (offsets == nullptr) return Unavailable(CostGap::kNoShapes);
    out *= offsets->Elements();
  }
  // The output of fp8 products is bf16, the only type that PyTorch supports for it.
  const double element = ElementBytes(a->type) == 1 ? 2 : ElementBytes(a->type);
  const double written = element < 0 ? kMissingReal : out * element;
  return MatrixCost(rule, 2 * batch * m * n * Size(*a, -1),
                    AddBytes({a->Bytes(), b->Bytes(), written}), a->type);
}

// fused_experts(hidden [T, H], w1 [E, 2I, H], w2 [E, H, I], weights [T, k], ids [T, k], ...): every
// token passes k experts. The weights of as many experts are read as can be chosen.
OpCost FusedExpertsCost(const OpRule& rule, const CostInput& input) {
  const Tensor* hidden = input.own->TensorAt(0);
  const Tensor* w1 = input.own->TensorAt(1);
  const Tensor* w2 = input.own->TensorAt(2);
  const Tensor* chosen = input.own->TensorAt(4);
  if (hidden == nullptr || w1 == nullptr || w2 == nullptr || chosen == nullptr || w1->rank() != 3 ||
      w2->rank() != 3) {
    return Unavailable(CostGap::kNoShapes);
  }
  // Packed weights (4 bits in bytes or words) have other shapes.
  if (w1->Dim(2) != hidden->Dim(-1) || w2->Dim(1) != hidden->Dim(-1)) {
    return Unavailable(CostGap::kNoShapes);
  }
  const double runs = chosen->Elements();
  const double experts = std::max(1.0, Size(*w1, 0));
  const double used = std::min(1.0, runs / experts);
  const double per_run = Size(*w1, 1) * Size(*w1, 2) + Size(*w2, 1) * Size(*w2, 2);
  const double weights = AddBytes({w1->Bytes(), w2->Bytes()});
  return MatrixCost(
      rule, 2 * runs * per_run,
      AddBytes({hidden->Bytes(), hidden->Bytes(), weights < 0 ? kMissingReal : used * weights}),
      w1->type);
}

namespace {

// The number of elements of one token's keys or values in [T, heads, size] or [T, heads * size], in
// a cache [blocks, block, heads, size], or in another cache with `heads` heads of the query's size.
double CacheRow(const Tensor& tensor, const Tensor& query, std::optional<int64_t> heads) {
  if (heads && query.rank() == 3) return static_cast<double>(*heads) * Size(query, 2);
  if (tensor.rank() == 2) return Size(tensor, 1);
  if (tensor.rank() == 3) return Size(tensor, 1) * Size(tensor, 2);
  return tensor.rank() == 4 ? Size(tensor, 2) * Size(tensor, 3) : 0;
}

}  // namespace

// `first` is the position of the query [T, heads, size], `second` that of the keys, which the
// values follow, and `factor` that of the number of their heads, for caches with other layouts.
OpCost PagedAttentionCost(const OpRule& rule, const CostInput& input) {
  const Tensor* query = input.own->TensorAt(static_cast<size_t>(rule.first));
  const Tensor* key = input.own->TensorAt(static_cast<size_t>(rule.second));
  const Tensor* value = input.own->TensorAt(static_cast<size_t>(rule.second) + 1);
  if (query == nullptr || key == nullptr || value == nullptr || query->rank() < 2 ||
      query->Dim(0) <= 0) {
    return Unavailable(CostGap::kNoShapes);
  }
  if (input.lengths == nullptr) return Unavailable(CostGap::kNoLengths);
  std::optional<int64_t> heads;
  if (rule.factor > 0) heads = input.own->ValueAt(static_cast<size_t>(rule.factor)).Integer();
  const double key_row = CacheRow(*key, *query, heads);
  const double value_row = CacheRow(*value, *query, heads);
  if (key_row <= 0 || value_row <= 0) return Unavailable(CostGap::kNoShapes);
  const double query_row = query->Elements() / Size(*query, 0);
  const double out_row = query_row * value_row / key_row;
  const SequenceLengths& lengths = *input.lengths;
  return MatrixCost(rule, 2 * (query_row + out_row) * lengths.pairs,
                    AddBytes({BytesOf(lengths.queries * (query_row + out_row), query->type),
                              BytesOf(lengths.keys * (key_row + value_row), key->type)}),
                    query->type);
}

}  // namespace warpsight
