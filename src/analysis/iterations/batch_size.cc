#include "analysis/iterations/batch_size.h"

#include <charconv>
#include <cstddef>
#include <string_view>
#include <system_error>
#include <vector>

#include "analysis/facts/range_names.h"
#include "base/text.h"
#include "model/limits.h"

namespace warpsight {
namespace {

// Ops that take the input of a model.
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

// Attention over sequences that lie one behind the other, or in pages, has its inputs so, too.
bool IsAttention(std::string_view op) {
  return Contains(op, "attention") || Contains(op, "flash_attn") || Contains(op, "varlen");
}

// The n-th list in "[[8, 3, 224, 224], [64, 3, 7, 7], []]"; empty where there is none.
std::vector<int64_t> Dimensions(std::string_view dims, int input) {
  size_t pos = dims.find('[');
  for (int i = 0; i <= input && pos != std::string_view::npos; ++i) pos = dims.find('[', pos + 1);
  std::vector<int64_t> shape;
  if (pos == std::string_view::npos) return shape;
  const char* at = dims.data() + pos + 1;
  const char* const end = dims.data() + dims.size();
  while (at < end) {
    int64_t value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc() || value <= 0 || value > kLargestCount) return {};
    shape.push_back(value);
    at = next;
    if (at < end && *at == ']') return shape;
    while (at < end && (*at == ',' || *at == ' ')) ++at;
  }
  return {};
}

// A convolution kernel as large as its input processes extracted image patches: the first dimension
// counts patches.
bool CoversInput(const std::vector<int64_t>& input, const std::vector<int64_t>& weight) {
  if (input.size() != weight.size()) return false;
  for (size_t i = 2; i < input.size(); ++i) {
    if (input[i] != weight[i]) return false;
  }
  return true;
}

// Looks at the ops that take inputs, in their order.
class BatchFinder {
 public:
  // `flattened`: whether the tokens of several sequences may lie one behind the other.
  explicit BatchFinder(bool flattened) : flattened_(flattened) {}

  // The samples in the batch of the op; kMissing where its first dimension counts something else.
  int64_t Look(InputOp op, std::string_view dims) {
    const std::vector<int64_t> input = Dimensions(dims, op == InputOp::kEmbedding ? 1 : 0);
    if (input.empty()) return kMissing;
    switch (op) {
      case InputOp::kEmbedding:
        // One dimension: either the tokens of all sequences, or one index per sample; this is
        // ambiguous.
        if (input.size() >= 2) return input[0];
        flattened_ = true;
        break;
      case InputOp::kConvolution: {
        const std::vector<int64_t> weight = Dimensions(dims, 1);
        // One dimension less than the weight: a single sample.
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
  // The inputs of a model are at its beginning; much later ops have other dimensions.
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
    const int64_t samples = finder.Look(
        input_op[host.name[h]], trace.Text(trace.tables.signatures.dims[Index(host.signature[h])]));
    if (samples != kMissing) return samples;
  }
  return kMissing;
}

}  // namespace warpsight
