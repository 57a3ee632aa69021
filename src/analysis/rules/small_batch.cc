#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/advice/kernel_edits.h"
#include "analysis/advice/matrix_ops.h"
#include "analysis/facts/range_names.h"
#include "analysis/roofline/cost_model.h"
#include "analysis/roofline/occupancy.h"
#include "analysis/text/format.h"
#include "base/text.h"

namespace warpsight::rules::small_batch {

Rule Define();

namespace {

// The share of the time of batch-dependent kernels that must be in kernels whose blocks fill the
// GPU less than once. On an H200: 0.59 for a language model with one sequence of 1024 tokens per
// step, 0.14 with eight; 0.3 to 0.5 for ResNet-50 with 64 images.
constexpr double kMinPartialWaveShare = 0.5;
// If the GPU works for a smaller share of the time, a step is not work on a batch.
constexpr double kSomeWork = 0.01;
// The batch is doubled, up to eight times, as long as the time per sample falls by at least this
// share.
constexpr double kMinDoublingGain = 0.10;
constexpr int kMost = 8;
// The speedup that justifies a larger batch, which also affects how a model trains.
constexpr double kMinSpeedup = 1.3;
// The share of a GPU's memory that a program can fill.
constexpr double kUsableMemory = 0.9;
// The start-up time of a kernel, which does not grow with its work (H200).
constexpr double kStart = 1'500;

// The shape of a tensor, independent of the order of its dimensions.
using Shape = std::vector<int64_t>;

Shape ShapeOf(const Tensor& tensor) {
  Shape shape(tensor.dims().begin(), tensor.dims().end());
  std::sort(shape.begin(), shape.end());
  return shape;
}

template <typename Visit>
void ForEachTensor(const Signature& signature, const Visit& visit) {
  for (const Argument& argument : signature.arguments) {
    if (const Tensor* tensor = argument.tensor(); tensor != nullptr && tensor->rank() > 0) {
      visit(*tensor);
    }
    for (const Tensor& tensor : argument.list()) {
      if (tensor.rank() > 0) visit(tensor);
    }
  }
}

// Recognizes work on weights or their gradients (casts, clipping, zeroing): all inputs of the op
// have the shape of some parameter.
class Weights {
 public:
  explicit Weights(const RuleInput& input)
      : trace_(input.profile.trace), known_(RowCount(trace_.tables.signatures), kUnclassified) {
    for (const StepOp& op : input.work.ops()) {
      if (op.direction != Direction::kOptimizer) continue;
      const SignatureId id = trace_.tables.host.signature[Index(op.op)];
      if (!IsSet(id) || known_[Index(id)] != kUnclassified) continue;
      known_[Index(id)] = kYes;
      const Signature* signature = trace_.inputs.Of(id);
      if (signature == nullptr) continue;
      ForEachTensor(*signature, [&](const Tensor& tensor) { shapes_.insert(ShapeOf(tensor)); });
    }
  }

  bool OnlyWeights(HostId op) {
    if (!IsSet(op) || shapes_.empty()) return false;
    const SignatureId id = trace_.tables.host.signature[Index(op)];
    if (!IsSet(id)) return false;
    if (known_[Index(id)] == kUnclassified) known_[Index(id)] = Ask(id) ? kYes : kNo;
    return known_[Index(id)] == kYes;
  }

 private:
  enum Answer : uint8_t { kUnclassified, kYes, kNo };

  bool Ask(SignatureId id) const {
    const Signature* signature = trace_.inputs.Of(id);
    if (signature == nullptr) return false;
    bool any = false, all = true;
    ForEachTensor(*signature, [&](const Tensor& tensor) {
      any = true;
      all = all && shapes_.contains(ShapeOf(tensor));
    });
    return any && all;
  }

  const Trace& trace_;
  std::set<Shape> shapes_;
  std::vector<Answer> known_;  // by signature
};

// Predicts the GPU's work for a batch that is `times` as large.
class Model {
 public:
  explicit Model(const RuleInput& input) : input_(input), trace_(input.profile.trace) {
    for (size_t d = 0; d < RowCount(trace_.tables.devices); ++d) {
      limits_.push_back(LimitsOf(input.profile, input.costs, MakeId<DeviceId>(d)));
    }
    Weights weights(input);
    for (const GpuId gpu : input.work.gpu()) {
      if (!DependsOnBatch(gpu, weights)) continue;
      growing_.push_back(gpu);
      CountRoom(gpu);
    }
    FindLoader();
  }

  // The time of batch-dependent kernels with recorded launches, and the time of those that fill the
  // GPU less than once.
  DurationNs kernel_time() const { return kernel_time_; }
  DurationNs unfilled_time() const { return unfilled_time_; }
  // The longest kernel of the latter.
  GpuId longest_unfilled() const { return longest_; }

  void Apply(int times, Scenario& scenario) const {
    std::vector<double> factor(trace_.tables.gpu.start.size(), 1);
    for (const GpuId gpu : growing_) factor[Index(gpu)] = FactorOf(gpu, times);
    for (const MatrixOp& op : input_.matrix_ops) {
      const double ideal = IdealFactor(op, times);
      for (const GpuId gpu : op.kernels) {
        double& f = factor[Index(gpu)];
        f = std::min(f, std::max(1.0, ideal));
      }
    }
    for (const GpuId gpu : growing_) scenario.Scale(gpu, factor[Index(gpu)]);
    scenario.ScaleCpuTime(loader_, times);
  }

 private:
  // Optimizers work on parameters; gradients are reduced once, for any number of samples.
  bool DependsOnBatch(GpuId gpu, Weights& weights) const {
    const size_t g = Index(gpu);
    const GpuKind kind = trace_.tables.gpu.kind[g];
    if (kind == GpuKind::kMemset) return false;
    if (kind == GpuKind::kCopy) {
      return trace_.tables.gpu.copy_direction[g] != CopyDirection::kDeviceToHost;
    }
    const KernelFamily family = input_.work.KindOf(gpu).family;
    if (family == KernelFamily::kOptimizer) return false;
    if (family == KernelFamily::kCollective) return ExchangesActivations(gpu);
    const uint32_t op = input_.work.OpOf(gpu);
    if (op != StepWork::kNoOp && input_.work.ops()[op].direction == Direction::kOptimizer) {
      return false;
    }
    return !weights.OnlyWeights(input_.profile.facts.gpu.op[g]);
  }

  // All-to-all sends a part of every sample's activations. NCCL implements it with sends and
  // receives.
  bool ExchangesActivations(GpuId gpu) const {
    if (!input_.work.IsKernel(gpu)) return false;
    const CollectiveKind kind = input_.work.KindOf(gpu).collective;
    return kind == CollectiveKind::kSendReceive || kind == CollectiveKind::kAllToAll;
  }

  const std::optional<GpuLimits>& LimitsFor(GpuId gpu) const {
    return limits_[Index(trace_.DeviceOf(trace_.tables.gpu.stream[Index(gpu)]))];
  }

  void CountRoom(GpuId gpu) {
    const auto launch = LaunchOf(trace_, gpu);
    const auto& limits = LimitsFor(gpu);
    if (!launch || !limits || ExchangesActivations(gpu)) return;
    kernel_time_ += input_.work.DurationOf(gpu);
    if (Waves(*launch, *limits) >= 1) return;
    unfilled_time_ += input_.work.DurationOf(gpu);
    if (!IsSet(longest_) || input_.work.DurationOf(gpu) > input_.work.DurationOf(longest_)) {
      longest_ = gpu;
    }
  }

  // More blocks first fill idle multiprocessors, then need additional waves. Memory does not become
  // faster. The start-up time stays.
  double FactorOf(GpuId gpu, int times) const {
    const auto time = static_cast<double>(input_.work.DurationOf(gpu));
    double grows = times;
    const auto launch = LaunchOf(trace_, gpu);
    const auto& limits = LimitsFor(gpu);
    if (launch && limits && !ExchangesActivations(gpu)) {
      const double waves = Waves(*launch, *limits);
      grows = std::clamp<double>(std::ceil(times * waves) / std::ceil(waves), 1, times);
    }
    if (time <= kStart) return grows;
    const double bytes = input_.costs.CostOf(gpu).bytes;
    const auto& peaks = input_.costs.peaks();
    double after = kStart + (time - kStart) * grows;
    if (peaks && bytes > 0) after = std::max(after, MemoryNs(times * bytes, *peaks));
    return std::clamp<double>(after / time, 1, times);
  }

  // Small products take longer for their work than a good kernel for a large product.
  double IdealFactor(const MatrixOp& op, int times) const {
    const auto& peaks = input_.costs.peaks();
    if (!peaks || !op.gemm || op.time <= 0 || op.cost.flops <= 0 || op.cost.bytes <= 0) {
      return times;
    }
    return GemmNs(times * op.cost.flops, times * op.cost.bytes, op.precision, *peaks) /
           static_cast<double>(op.time);
  }

  // A loader without worker processes prepares each sample on the launching thread.
  void FindLoader() {
    const HostRangesTable& host = trace_.tables.host;
    CpuTimesCollector times(trace_);
    RangeNames names(trace_);
    for (size_t h = 0; h < host.start.size(); ++h) {
      if (host.kind[h] != HostKind::kAnnotation || !names[host.name[h]].loader_next) continue;
      if (Contains(trace_.Text(host.name[h]), "MultiProcessing")) continue;
      times.AddRow(host, h);
    }
    loader_ = times.Take();
  }

  const RuleInput& input_;
  const Trace& trace_;
  std::vector<std::optional<GpuLimits>> limits_;  // by device
  std::vector<GpuId> growing_;
  CpuTimes loader_;
  DurationNs kernel_time_ = 0;
  DurationNs unfilled_time_ = 0;
  GpuId longest_ = kNone<GpuId>;
};

struct Memory {
  int64_t kept = kMissing;  // the least amount in use: parameters, optimizer states
  int64_t most = kMissing;
  int64_t available = kMissing;

  bool known() const { return most > 0 && available > 0; }
  // The memory that is in use only temporarily grows with the batch.
  bool HasRoom(int times) const {
    if (!known()) return true;
    return static_cast<double>(kept) + times * static_cast<double>(most - kept) <=
           kUsableMemory * static_cast<double>(available);
  }
};

Memory FindMemory(const Trace& trace) {
  const MemoryEventsTable& events = trace.tables.memory;
  constexpr int64_t kCpu = 0;
  Memory memory;
  for (size_t i = 0; i < events.time.size(); ++i) {
    const int64_t used = events.total_allocated[i];
    if (events.device_type[i] == kCpu || used == kMissing) continue;
    memory.kept = memory.kept == kMissing ? used : std::min(memory.kept, used);
    memory.most = std::max({memory.most, used, events.total_reserved[i]});
  }
  for (const int64_t bytes : trace.tables.devices.memory_bytes) {
    if (bytes <= 0) continue;
    memory.available = memory.available == kMissing ? bytes : std::min(memory.available, bytes);
  }
  return memory;
}

std::string_view MemoryWords(const ProgramKind& program, const Memory& memory) {
  if (memory.known()) return ", as the recorded allocations suggest";
  return program.framework == Framework::kPytorch
             ? " (profile_memory=True would show how much is free)"
             : "";
}

// The factor by which to enlarge the batch; 1: do not.
int ChooseTimes(const RuleInput& input, const Model& model, const Memory& memory) {
  auto best = static_cast<double>(input.what_if.step());
  int chosen = 1;
  for (int times = 2; times <= kMost && memory.HasRoom(times); times *= 2) {
    const DurationNs step =
        input.what_if.StepAfter([&](Scenario& scenario) { model.Apply(times, scenario); });
    const double per_sample = static_cast<double>(step) / times;
    if (per_sample > (1 - kMinDoublingGain) * best) break;
    best = per_sample;
    chosen = times;
  }
  return static_cast<double>(input.what_if.step()) >= kMinSpeedup * best ? chosen : 1;
}

std::string BatchWords(const RuleInput& input, int times) {
  const int64_t samples = input.range.samples_per_iteration;
  return samples > 0 ? fmt::format("{} samples instead of {}", times * samples, samples)
                     : fmt::format("{} times today's", times);
}

// The share of kernels, with the ledger's names.
std::string KernelShare(const RangeSummary& range) {
  return fmt::format("kernels take {} of the GPU's time",
                     FormatShare(range.Share(range.Of(LedgerEntry::kTensorCores) +
                                             range.Of(LedgerEntry::kOtherKernels)),
                                 1));
}

// How to get a larger batch; the text follows the size.
std::string_view BatchingAdvice(const ProgramKind& program) {
  if (program.serves) {
    return ". The server batches more requests per step if it is allowed to (vLLM: --max-num-seqs "
           "and "
           "--max-num-batched-tokens; SGLang: --max-running-requests; TensorRT-LLM: "
           "max_batch_size) and enough requests are waiting.";
  }
  if (!program.trains) {
    return ". In inference: collect requests (dynamic batching).";
  }
  return program.framework == Framework::kPytorch
             ? " (DataLoader(..., batch_size=...)), and adapt the learning rate, or use fewer "
               "steps of gradient accumulation in proportion."
             : ", and adapt the learning rate, or use fewer steps of gradient accumulation in "
               "proportion.";
}

// Other causes of waiting have their own rules, and do not improve with a larger batch.
bool WaitsForSomethingElse(TimeGroup verdict) {
  return verdict != TimeGroup::kKernels && verdict != TimeGroup::kIdleHostWork &&
         verdict != TimeGroup::kIdleAllocation && verdict != TimeGroup::kIdleLaunchLatency &&
         verdict != TimeGroup::kIdleUnknown;
}

RuleResult Run(const RuleInput& input) {
  if (input.what_if.empty()) return WithoutGpuWork();
  if (input.profile.trace.tables.api.start.empty()) {
    return Skipped{"CUDA calls were not recorded, so it is unknown what the GPU waits for"};
  }
  if (input.range.source == IterationSource::kNone) {
    return Skipped{"the trace could not be split into iterations"};
  }
  const auto model = std::make_shared<Model>(input);
  if (model->kernel_time() == 0) {
    return Skipped{"it was not recorded how kernels were launched, or on how many multiprocessors"};
  }
  const double unfilled =
      static_cast<double>(model->unfilled_time()) / static_cast<double>(model->kernel_time());
  if (unfilled < kMinPartialWaveShare || input.range.gpu_utilization < kSomeWork) return Healthy{};
  if (WaitsForSomethingElse(input.range.verdict)) return Healthy{};
  const Memory memory = FindMemory(input.profile.trace);
  const int times = ChooseTimes(input, *model, memory);
  if (times == 1) return Healthy{};
  Finding finding;
  finding.problem = fmt::format(
      "A step has too little work for the GPU: {}, and {:.0f} % of the time of batch-dependent "
      "kernels is in kernels that do not fill the GPU once.",
      KernelShare(input.range), 100 * unfilled);
  finding.recommendation = fmt::format("Use a larger batch: {}{}", BatchWords(input, times),
                                       BatchingAdvice(input.program));
  finding.evidence.push_back(
      {fmt::format("kernels that do not fill the GPU, the longest with {}",
                   LaunchText(input.profile.trace, model->longest_unfilled())),
       input.PerStep(model->unfilled_time()), kMissing, kNone<HostId>, model->longest_unfilled()});
  finding.evidence.push_back(
      {"GPU idle", input.PerStep(input.range.idle), kMissing, kNone<HostId>, kNone<GpuId>});
  finding.confidence = Confidence::kMedium;
  finding.assumes = fmt::format(
      "memory for a batch of {}{}; the time is per sample: steps get longer, but fewer are needed",
      BatchWords(input, times), MemoryWords(input.program, memory));
  finding.edit = [model, times](Scenario& scenario) { model->Apply(times, scenario); };
  finding.work = times;
  finding.larger_batch = true;
  return finding;
}

}  // namespace

Rule Define() { return {"small-batch", "Too little work per step", Run}; }

}  // namespace warpsight::rules::small_batch
