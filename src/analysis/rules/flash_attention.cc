#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/advice/kernel_edits.h"
#include "analysis/advice/kernel_time.h"
#include "analysis/advice/rule.h"
#include "analysis/roofline/cost_model.h"
#include "base/text.h"

namespace warpsight::rules::flash_attention {

Rule Define();

namespace {

// The maximum number of ops between a product and the softmax: scaling, masking, casting, dropout
// and the like.
constexpr size_t kMaxOpsBetween = 8;

bool IsSoftmax(std::string_view name) {
  return Contains(name, "softmax") && !Contains(name, "log_softmax") && !Contains(name, "loss");
}

bool IsMask(std::string_view name) {
  return Contains(name, "masked_fill") || Contains(name, "where") || Contains(name, "::add");
}

// One attention: the positions of its ops in StepWork, from the product of queries and keys to the
// product with the values.
struct Attention {
  size_t first = 0;
  size_t last = 0;
  AttentionShape shape;
  bool narrow = false;           // in 16-bit formats
  std::vector<size_t> backward;  // positions of the backward ops
  DurationNs forward_time = 0;
  DurationNs backward_time = 0;
};

// The shape of a batched matrix product, as in attention; nullopt for other ops.
std::optional<GemmShape> BatchedProduct(const RuleInput& input, const StepOp& op) {
  const std::optional<GemmShape> shape = input.costs.GemmOf(op.op);
  return shape && shape->batch > 1 ? shape : std::nullopt;
}

std::optional<Attention> AttentionAround(const RuleInput& input, size_t softmax) {
  const std::span<const StepOp> ops = input.work.ops();
  const ThreadId thread = input.profile.trace.tables.host.thread[Index(ops[softmax].op)];
  const auto same_thread = [&](size_t i) {
    return input.profile.trace.tables.host.thread[Index(ops[i].op)] == thread;
  };
  Attention found;
  std::optional<GemmShape> scores;
  for (size_t i = softmax; i-- > 0 && softmax - i <= kMaxOpsBetween && same_thread(i);) {
    scores = BatchedProduct(input, ops[i]);
    found.first = i;
    if (scores) break;
  }
  if (!scores) return std::nullopt;
  for (size_t i = softmax + 1; i < ops.size() && i - softmax <= kMaxOpsBetween && same_thread(i);
       ++i) {
    const std::optional<GemmShape> values = BatchedProduct(input, ops[i]);
    if (!values) continue;
    if (values->k != scores->n || values->m != scores->m) return std::nullopt;
    found.last = i;
    found.shape = {static_cast<double>(scores->batch), static_cast<double>(scores->m),
                   static_cast<double>(scores->n), static_cast<double>(scores->k), false};
    for (size_t j = found.first; j < softmax; ++j) {
      found.shape.causal |= scores->m == scores->n && IsMask(input.work.NameOf(ops[j]));
    }
    found.narrow = ElementBytes(scores->a) == 2;
    return found;
  }
  return std::nullopt;
}

std::vector<Attention> FindAttentions(const RuleInput& input) {
  const std::span<const StepOp> ops = input.work.ops();
  const FactTables& facts = input.profile.facts;
  std::vector<Attention> found;
  std::vector<size_t> attention_of_host(input.profile.trace.tables.host.start.size(), SIZE_MAX);
  for (size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].direction != Direction::kForward || !IsSoftmax(input.work.NameOf(ops[i]))) continue;
    std::optional<Attention> attention = AttentionAround(input, i);
    if (!attention) continue;
    for (size_t j = attention->first; j <= attention->last; ++j) {
      attention->forward_time += ops[j].gpu_time;
      attention_of_host[Index(ops[j].op)] = found.size();
    }
    found.push_back(std::move(*attention));
  }
  for (size_t i = 0; i < ops.size(); ++i) {
    const HostId forward = facts.host.forward[Index(ops[i].op)];
    if (!IsSet(forward)) continue;
    const HostId outer = facts.host.op[Index(forward)];
    const size_t at = attention_of_host[Index(IsSet(outer) ? outer : forward)];
    if (at == SIZE_MAX) continue;
    found[at].backward.push_back(i);
    found[at].backward_time += ops[i].gpu_time;
  }
  return found;
}

// Replaces the GPU work of ops by one kernel, and removes all ops but the first.
struct Replacement {
  KernelEdits edits;
  std::vector<HostId> dropped;

  void Replace(const RuleInput& input, const std::vector<size_t>& positions, double ns) {
    bool first = true;
    for (const size_t position : positions) {
      const StepOp& op = input.work.ops()[position];
      if (!first) dropped.push_back(op.op);
      for (const GpuId gpu : input.work.GpuWorkOf(op)) {
        if (first) {
          edits.SetNs(gpu, ns);
          first = false;
        } else {
          edits.Remove(gpu);
        }
      }
    }
  }
};

RuleResult Run(const RuleInput& input) {
  const std::span<const StepOp> ops = input.work.ops();
  const bool softmax = std::any_of(
      ops.begin(), ops.end(), [&](const StepOp& op) { return IsSoftmax(input.work.NameOf(op)); });
  if (!softmax) return Healthy{};
  const std::vector<Attention> attentions = FindAttentions(input);
  if (attentions.empty()) {
    const bool shapes = std::any_of(ops.begin(), ops.end(), [&](const StepOp& op) {
      return input.costs.GemmOf(op.op).has_value();
    });
    if (!shapes) return WithoutShapes();
    return Healthy{};
  }
  const auto& peaks = input.costs.peaks();
  if (!peaks) return WithoutPeaks();
  if (!IsKnown(peaks->Peak(Precision::kBf16, true))) {
    return Skipped{fmt::format("{} has no 16-bit matrix units", peaks->name)};
  }
  Replacement replacement;
  DurationNs time = 0;
  bool causal = false;
  for (const Attention& attention : attentions) {
    time += attention.forward_time + attention.backward_time;
    causal |= attention.shape.causal;
    // In fp32, fused kernels do not use Tensor Cores for the products either: only the traffic
    // between the products is removed.
    const auto scale = attention.narrow ? 1.0 : peaks->Peak(Precision::kBf16, true) / peaks->fp32;
    const double forward = scale * FusedAttentionNs(attention.shape, false, *peaks);
    std::vector<size_t> positions(attention.last - attention.first + 1);
    for (size_t i = 0; i < positions.size(); ++i) positions[i] = attention.first + i;
    if (forward < static_cast<double>(attention.forward_time)) {
      replacement.Replace(input, positions, forward);
    }
    const double backward = scale * FusedAttentionNs(attention.shape, true, *peaks);
    if (backward < static_cast<double>(attention.backward_time)) {
      replacement.Replace(input, attention.backward, backward);
    }
  }
  if (replacement.edits.empty()) return Healthy{};
  const AttentionShape& shape = attentions.front().shape;
  Finding finding;
  finding.problem = fmt::format(
      "Attention is computed as matrix product, softmax, matrix product and writes its {:.0f} x "
      "{:.0f} scores to "
      "memory: {} times per step, {}.",
      shape.queries, shape.keys, input.PerStep(attentions.size()), input.TimePerStep(time));
  finding.recommendation = fmt::format(
      "Compute it in one kernel: torch.nn.functional.scaled_dot_product_attention(q, k, v{}). In "
      "JAX: jax.nn.dot_product_attention(..., implementation=\"cudnn\").",
      causal ? ", is_causal=True" : "");
  finding.evidence.push_back(
      {fmt::format("attention of {:.0f} heads, {:.0f} x {:.0f}, width {:.0f}", shape.batch_heads,
                   shape.queries, shape.keys, shape.width),
       input.PerStep(time), input.PerStep(attentions.size()), ops[attentions.front().first].op,
       kNone<GpuId>});
  finding.confidence = Confidence::kMedium;
  finding.assumes = causal ? "the mask is causal, or a fused kernel supports it"
                           : "the scores themselves are not needed";
  finding.edit = [replacement = std::move(replacement)](Scenario& scenario) {
    scenario.RemoveOps(replacement.dropped);
    replacement.edits(scenario);
  };
  return finding;
}

}  // namespace

Rule Define() { return {"flash-attention", "Attention that writes its scores to memory", Run}; }

}  // namespace warpsight::rules::flash_attention
