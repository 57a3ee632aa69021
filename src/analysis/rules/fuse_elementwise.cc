#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/advice/kernel_edits.h"
#include "analysis/advice/kernel_time.h"
#include "analysis/advice/rule.h"
#include "analysis/roofline/cost_model.h"
#include "base/text.h"

namespace warpsight::rules::fuse_elementwise {

Rule Define();

namespace {

// The share of the values between fused ops that the forward pass of training must still write,
// because the backward pass needs them. The others stay in registers.
constexpr double kKeptForBackward = 0.5;
// The CPU time per step for entering compiled code: checking guards, unpacking arguments, and the
// autograd function around the compiled backward pass.
constexpr DurationNs kCompiledCall = 300'000;
// The share of a kernel's time that remains at least, however few bytes it still moves.
constexpr double kLeast = 0.1;
constexpr double kKernelStart = 1'500;

bool IsFusable(KernelFamily family) {
  return family == KernelFamily::kElementwise || family == KernelFamily::kNormalization ||
         family == KernelFamily::kReduction || family == KernelFamily::kRandom ||
         family == KernelFamily::kCopy || family == KernelFamily::kSoftmax;
}

// Losses are usually computed outside the compiled module.
bool BelongsToLoss(std::string_view name) {
  return Contains(name, "loss") || Contains(name, "log_softmax") || Contains(name, "cross_entropy");
}

struct Member {
  GpuId gpu;
  HostId op;  // innermost
  double time = 0;
  double bytes = 0;
  double largest = 0;  // bytes of the largest input
};

struct Chain {
  std::vector<Member> members;
  Direction direction = Direction::kForward;
  bool loss = false;
};

class ChainFinder {
 public:
  explicit ChainFinder(const RuleInput& input)
      : input_(input), largest_(RowCount(input.profile.trace.tables.signatures), -1.0) {}

  std::vector<Chain> Run() {
    for (const GpuId gpu : input_.work.gpu()) Add(gpu);
    Close();
    return std::move(chains_);
  }
  bool any_shapes() const { return any_shapes_; }

 private:
  void Add(GpuId gpu) {
    const FactTables& facts = input_.profile.facts;
    const HostId op = facts.gpu.op[Index(gpu)];
    if (!input_.work.IsKernel(gpu) || !IsSet(op)) return Close();
    const KernelKind& kernel = input_.work.KindOf(gpu);
    const Direction direction = facts.host.direction[Index(op)];
    const bool model = direction == Direction::kForward || direction == Direction::kBackward;
    const bool generated = kernel.library == KernelLibrary::kTriton;
    // Helper kernels of matrix ops (layout transforms, split sums) are not separated from them.
    const std::string_view name =
        input_.profile.trace.Text(input_.profile.trace.tables.host.name[Index(op)]);
    const bool matrix = input_.costs.CostOf(op).matrix() || Contains(name, "conv");
    if (!model || !IsFusable(kernel.family) || generated || matrix) return Close();
    if (direction != open_.direction) Close();
    open_.direction = direction;
    const uint32_t outer = input_.work.OpOf(gpu);
    open_.loss |= BelongsToLoss(input_.work.NameOf(input_.work.ops()[outer]));
    const OpCost cost = input_.costs.CostOf(gpu);
    Member member{gpu, op, static_cast<double>(input_.work.DurationOf(gpu)),
                  std::max(0.0, cost.bytes), LargestInput(op)};
    any_shapes_ |= member.bytes > 0;
    open_.members.push_back(member);
  }

  void Close() {
    if (open_.members.size() > 1 && !open_.loss) chains_.push_back(std::move(open_));
    open_ = {};
  }

  double LargestInput(HostId op) {
    const Trace& trace = input_.profile.trace;
    const SignatureId signature = trace.tables.host.signature[Index(op)];
    if (!IsSet(signature)) return 0;
    double& largest = largest_[Index(signature)];
    if (largest >= 0) return largest;
    largest = 0;
    const Signature* inputs = trace.inputs.Of(signature);
    if (inputs == nullptr) return largest;
    for (const Argument& argument : inputs->arguments) {
      if (const Tensor* tensor = argument.tensor()) largest = std::max(largest, tensor->Bytes());
    }
    return largest;
  }

  const RuleInput& input_;
  std::vector<double> largest_;  // by signature; negative: not computed yet
  Chain open_;
  std::vector<Chain> chains_;
  bool any_shapes_ = false;
};

// The time of the chain as one kernel: values passed from one op to the next are neither written
// nor read. Only the time for those bytes is saved, since arithmetic and random numbers stay.
double FusedNs(const Chain& chain, bool training, const GpuPeaks& peaks) {
  const bool keeps = training && chain.direction == Direction::kForward;
  double time = kKernelStart;
  for (size_t i = 0; i < chain.members.size(); ++i) {
    const Member& member = chain.members[i];
    double saved = 0;
    if (i > 0) saved += std::min(member.largest, chain.members[i - 1].bytes);  // reading is saved
    if (i + 1 < chain.members.size()) {
      const double passed = std::min(chain.members[i + 1].largest, member.bytes);
      saved += passed * (keeps ? 1 - kKeptForBackward : 1);  // writing is saved
    }
    saved = std::min(saved, member.bytes);
    const double own = std::max(0.0, member.time - kKernelStart);
    time += std::max(kLeast * own, own - TrafficNs(saved, peaks));
  }
  return time;
}

// The first launch of every iteration.
std::vector<ApiId> FirstCalls(const RuleInput& input) {
  const FactTables& facts = input.profile.facts;
  std::vector<ApiId> first(facts.iterations.start.size(), kNone<ApiId>);
  for (const GpuId gpu : input.work.gpu()) {
    ApiId& call = first[Index(facts.gpu.iteration[Index(gpu)])];
    if (!IsSet(call)) call = facts.gpu.api[Index(gpu)];
  }
  std::erase_if(first, [](ApiId call) { return !IsSet(call); });
  return first;
}

RuleResult Run(const RuleInput& input) {
  ChainFinder finder(input);
  const std::vector<Chain> chains = finder.Run();
  if (chains.empty()) return Healthy{};
  if (!finder.any_shapes()) return WithoutShapes();
  const auto& peaks = input.costs.peaks();
  if (!peaks) return WithoutPeaks();
  const bool training = std::any_of(chains.begin(), chains.end(), [](const Chain& chain) {
    return chain.direction == Direction::kBackward;
  });
  const Trace& trace = input.profile.trace;
  KernelEdits edits;
  std::vector<HostId> dropped;
  DurationNs time = 0;
  size_t kernels = 0;
  const Chain* costliest = nullptr;
  double most = 0;
  for (const Chain& chain : chains) {
    double today = 0;
    for (const Member& member : chain.members) today += member.time;
    const double fused = FusedNs(chain, training, *peaks);
    if (fused >= today) continue;
    time += static_cast<DurationNs>(today);
    kernels += chain.members.size();
    edits.SetNs(chain.members.front().gpu, fused);
    for (size_t i = 1; i < chain.members.size(); ++i) {
      edits.Remove(chain.members[i].gpu);
      if (chain.members[i].op != chain.members.front().op) dropped.push_back(chain.members[i].op);
    }
    if (today - fused > most) {
      most = today - fused;
      costliest = &chain;
    }
  }
  if (edits.empty()) return Healthy{};
  std::string names;
  for (size_t i = 0; i < costliest->members.size() && i < 6; ++i) {
    std::string_view name = trace.Text(trace.tables.host.name[Index(costliest->members[i].op)]);
    if (name.starts_with("aten::")) name.remove_prefix(6);
    names += fmt::format("{}{}", names.empty() ? "" : " + ", name);
  }
  if (costliest->members.size() > 6) names += " + ...";
  Finding finding;
  finding.problem = fmt::format(
      "{} pointwise and normalization kernels per step run one after another and pass their "
      "results through memory: {}.",
      input.PerStep(kernels), input.TimePerStep(time));
  finding.recommendation =
      "Fuse them: model = torch.compile(model). Without a compiler: fused modules (nn.LayerNorm "
      "with residual from Apex or Transformer Engine, F.linear with epilogue), inplace=True for "
      "activations. In JAX: one jax.jit around the step. In CUDA C++: one kernel for the chain, or "
      "cuBLASLt/cuDNN epilogues.";
  finding.evidence.push_back({"costliest chain: " + names, static_cast<DurationNs>(most), kMissing,
                              costliest->members.front().op, costliest->members.front().gpu});
  finding.confidence = Confidence::kMedium;
  finding.assumes =
      training
          ? "the backward pass needs half of the values between fused ops; the loss is not changed"
          : "the values between fused ops are not needed elsewhere";
  finding.edit = [edits = std::move(edits), dropped = std::move(dropped),
                  entries = FirstCalls(input)](Scenario& scenario) {
    scenario.RemoveOps(dropped);
    edits(scenario);
    for (const ApiId call : entries) scenario.AddCpuTime(call, kCompiledCall);
  };
  return finding;
}

}  // namespace

Rule Define() { return {"fuse-elementwise", "Chains of memory-bound kernels", Run}; }

}  // namespace warpsight::rules::fuse_elementwise
