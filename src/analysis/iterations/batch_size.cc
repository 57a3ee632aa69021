#include "analysis/iterations/batch_size.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/facts/range_names.h"
#include "base/text.h"
#include "model/limits.h"

namespace warpsight {
namespace {

// Kinds of ops that receive the input of a model.
enum class InputOp : uint8_t { kNone, kEmbedding, kConvolution, kLinear };

InputOp Classify(std::string_view op) {
  if (op == "aten::embedding") return InputOp::kEmbedding;
  if (op == "aten::linear") return InputOp::kLinear;
  if (op == "aten::conv1d" || op == "aten::conv2d" || op == "aten::conv3d" ||
      op == "aten::convolution") {
    return InputOp::kConvolution;
  }
  return InputOp::kNone;
}

// Whether this is attention over concatenated or paged sequences: the other inputs of the model are
// then concatenated, too.
bool IsAttention(std::string_view op) {
  return Contains(op, "attention") || Contains(op, "flash_attn") || Contains(op, "varlen");
}

// The shape of an input; empty if it has none, or one that is impossible for a batch.
std::span<const int64_t> Dimensions(const Signature& signature, size_t input) {
  const Tensor* tensor = signature.TensorAt(input);
  if (tensor == nullptr) return {};
  const std::span<const int64_t> dims = tensor->dims();
  const auto possible = [](int64_t dim) { return dim > 0 && dim <= kLargestCount; };
  return std::all_of(dims.begin(), dims.end(), possible) ? dims : std::span<const int64_t>();
}

// A convolution kernel as large as its input processes extracted image patches: the first dimension
// counts patches.
bool CoversInput(std::span<const int64_t> input, std::span<const int64_t> weight) {
  if (input.size() != weight.size()) return false;
  for (size_t i = 2; i < input.size(); ++i) {
    if (input[i] != weight[i]) return false;
  }
  return true;
}

// Looks at ops that may receive the model's input, in their order.
class BatchFinder {
 public:
  // `flattened`: whether the tokens of several sequences may be concatenated.
  explicit BatchFinder(bool flattened) : flattened_(flattened) {}

  // The batch size according to this op; kMissing if its first dimension counts something else.
  int64_t Look(InputOp op, const Signature& signature) {
    const std::span<const int64_t> input = Dimensions(signature, op == InputOp::kEmbedding ? 1 : 0);
    if (input.empty()) return kMissing;
    switch (op) {
      case InputOp::kEmbedding:
        // A single dimension is ambiguous: it counts either the tokens of all sequences, or one
        // index per sample.
        if (input.size() >= 2) return input[0];
        flattened_ = true;
        break;
      case InputOp::kConvolution: {
        const std::span<const int64_t> weight = Dimensions(signature, 1);
        // With one dimension less than the weight, the input is a single sample.
        if (input.size() >= weight.size() && !CoversInput(input, weight)) return input[0];
        break;
      }
      case InputOp::kLinear:
        if (input.size() >= 3 || (input.size() == 2 && !flattened_)) return input[0];
        break;
      case InputOp::kNone:
        break;
    }
    return kMissing;
  }

 private:
  bool flattened_;
};

}  // namespace

int64_t GuessBatchSize(const Trace& trace, const FactTables& facts) {
  // The inputs of a model are used at its beginning; later ops have other dimensions.
  constexpr int kOpsTried = 64;
  const HostRangesTable& host = trace.tables.host;
  ByName<InputOp> input_op(trace, Classify);
  ByName<bool> is_attention(trace, IsAttention);
  std::vector<size_t> tried;
  bool attention = false;
  for (size_t h = 0; h < host.start.size(); ++h) {
    if (host.kind[h] != HostKind::kOp) continue;
    attention = attention || is_attention[host.name[h]];
    if (tried.size() == kOpsTried) {
      if (attention) break;
      continue;
    }
    if (IsSet(host.signature[h]) && facts.host.direction[h] == Direction::kForward &&
        IsSet(facts.host.iteration[h]) && input_op[host.name[h]] != InputOp::kNone) {
      tried.push_back(h);
    }
  }
  BatchFinder finder(attention);
  for (const size_t h : tried) {
    const Signature* signature = trace.inputs.Of(host.signature[h]);
    if (signature == nullptr) continue;
    const int64_t samples = finder.Look(input_op[host.name[h]], *signature);
    if (samples != kMissing) return samples;
  }
  return kMissing;
}

}  // namespace warpsight
