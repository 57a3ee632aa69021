#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/advice/kernel_time.h"
#include "analysis/advice/rule.h"
#include "analysis/facts/range_names.h"
#include "analysis/roofline/cost_model.h"
#include "base/statistics.h"
#include "base/text.h"

namespace warpsight::rules::fused_optimizer {

Rule Define();

namespace {

// A fused optimizer reads and writes each state once, at this share of the bandwidth (H200: 28
// bytes per parameter at 3.5 TB/s for AdamW).
constexpr double kFusedBandwidth = 0.73;
// Without fusion (loop or foreach), AdamW moves 2.5 to 2.8 times as many bytes.
constexpr double kUnfusedTraffic = 2.6;
// CPU time of the fused call: a fixed part, and a part per tensor.
constexpr DurationNs kFusedCall = 50'000;
constexpr DurationNs kFusedTensor = 1'000;
// One launch updates about this many tensors.
constexpr double kTensorsPerLaunch = 30;

enum class Kind : uint8_t { kLoop, kForeach };

struct Optimizer {
  Kind kind = Kind::kLoop;
  bool adam = false;
  bool momentum = false;
  std::vector<HostId> ops;  // outermost ops in its steps
  std::vector<GpuId> gpu;   // the GPU work that they launched
  DurationNs gpu_time = 0;
  int64_t tensors = 0;             // per step
  double elements = kMissingReal;  // per step
};

bool IsFused(std::string_view name) { return Contains(name, "_fused_"); }

std::optional<Optimizer> FindOptimizer(const RuleInput& input) {
  Optimizer found;
  std::map<std::string_view, int64_t> calls_of_name;
  for (const StepOp& op : input.work.ops()) {
    if (op.direction != Direction::kOptimizer) continue;
    const std::string_view name = input.work.NameOf(op);
    if (IsFused(name)) return std::nullopt;
    if (Contains(name, "_foreach_")) found.kind = Kind::kForeach;
    found.adam |= Contains(name, "addcdiv") || Contains(name, "addcmul");
    found.momentum |= Contains(name, "mul");
    found.ops.push_back(op.op);
    for (const GpuId gpu : input.work.GpuWorkOf(op)) found.gpu.push_back(gpu);
    found.gpu_time += op.gpu_time;
    ++calls_of_name[name];
  }
  if (found.ops.empty()) return std::nullopt;
  // Every op of the loop is called once or twice per parameter.
  std::vector<int64_t> calls;
  calls.reserve(calls_of_name.size());
  for (const auto& [name, count] : calls_of_name) calls.push_back(count);
  found.tensors = input.PerStep(static_cast<size_t>(UpperMedian(calls)));
  return found;
}

// The number of elements of all parameters, from an op that is called once per parameter.
double CountElements(const RuleInput& input, const Optimizer& optimizer) {
  const Trace& trace = input.profile.trace;
  std::map<StringId, std::pair<int64_t, double>> by_name;
  for (const HostId op : optimizer.ops) {
    const Signature* inputs = trace.InputsOf(op);
    const Tensor* first = inputs != nullptr ? inputs->TensorAt(0) : nullptr;
    if (first == nullptr) continue;
    auto& [calls, elements] = by_name[trace.tables.host.name[Index(op)]];
    ++calls;
    elements += first->Elements();
  }
  double best = kMissingReal;
  for (const auto& [name, entry] : by_name) {
    const double per_step = entry.second / static_cast<double>(input.what_if.steps());
    if (input.PerStep(static_cast<size_t>(entry.first)) == optimizer.tensors) {
      best = std::max(best, per_step);
    }
  }
  return best;
}

double FusedNs(const RuleInput& input, const Optimizer& optimizer) {
  const auto& peaks = input.costs.peaks();
  const double launches = std::max(1.0, static_cast<double>(optimizer.tensors) / kTensorsPerLaunch);
  const auto today = static_cast<double>(input.PerStep(optimizer.gpu_time));
  // Reads parameter, gradient and states; writes parameter and states.
  const double accesses = optimizer.adam ? 7 : optimizer.momentum ? 5 : 3;
  double traffic = today / kUnfusedTraffic;
  if (peaks && optimizer.elements > 0) {
    traffic = 4 * accesses * optimizer.elements / (kFusedBandwidth * peaks->bandwidth) * 1e9;
  }
  return std::min(today, traffic + launches * 2'000);
}

bool SameLoop(const RuleInput& input, HostId a, HostId b) {
  const Trace& trace = input.profile.trace;
  const HostFactsTable& facts = input.profile.facts.host;
  return trace.tables.host.thread[Index(a)] == trace.tables.host.thread[Index(b)] &&
         facts.iteration[Index(a)] == facts.iteration[Index(b)];
}

// The time from the first to the last op of each optimizer step, so that the interpreter's loop
// between the ops is removed with them.
CpuTimes LoopTimes(const RuleInput& input, const Optimizer& optimizer) {
  const HostRangesTable& host = input.profile.trace.tables.host;
  CpuTimesCollector times(input.profile.trace);
  Interval loop;
  for (size_t i = 0; i < optimizer.ops.size(); ++i) {
    const size_t h = Index(optimizer.ops[i]);
    const bool begins = i == 0 || !SameLoop(input, optimizer.ops[i - 1], optimizer.ops[i]);
    const TimeNs end = host.start[h] + host.duration[h];
    loop = begins ? Interval{host.start[h], end} : Interval{loop.start, std::max(loop.end, end)};
    times.Add(host.thread[h], loop);
  }
  return times.Take();
}

// Replaces the ops by the fused call: its kernel takes the place of the first kernel of an
// iteration, and its CPU time precedes the launch of that kernel.
void Replace(const RuleInput& input, const Optimizer& optimizer, double fused_ns,
             Scenario& scenario) {
  scenario.RemoveCpuTime(LoopTimes(input, optimizer));
  const FactTables& facts = input.profile.facts;
  IterationId done = kNone<IterationId>;
  for (const GpuId gpu : optimizer.gpu) {
    const IterationId iteration = facts.gpu.iteration[Index(gpu)];
    if (iteration == done) {
      scenario.Remove(gpu);
      continue;
    }
    done = iteration;
    scenario.SetDuration(gpu, static_cast<DurationNs>(fused_ns));
    const ApiId call = facts.gpu.api[Index(gpu)];
    if (IsSet(call)) scenario.AddCpuTime(call, kFusedCall + optimizer.tensors * kFusedTensor);
  }
}

RuleResult Run(const RuleInput& input) {
  const bool any =
      std::any_of(input.work.ops().begin(), input.work.ops().end(),
                  [](const StepOp& op) { return op.direction == Direction::kOptimizer; });
  if (!any) return Skipped{"the trace contains no optimizer step (Optimizer.step ranges)"};
  std::optional<Optimizer> optimizer = FindOptimizer(input);
  if (!optimizer) return Healthy{};
  optimizer->elements = CountElements(input, *optimizer);
  const double fused_ns = FusedNs(input, *optimizer);
  const int64_t kernels = input.PerStep(optimizer->gpu.size());
  Finding finding;
  finding.problem = fmt::format(
      "The optimizer updates parameters {}: {} kernels per step, {} of GPU time.",
      optimizer->kind == Kind::kLoop ? "one by one" : "list by list (foreach), state by state",
      kernels, input.TimePerStep(optimizer->gpu_time));
  finding.recommendation = fmt::format(
      "Update all parameters in one kernel: torch.optim.{}(..., fused=True){}. In JAX: optax "
      "inside the jitted step.",
      optimizer->adam ? "AdamW" : "SGD",
      optimizer->kind == Kind::kLoop ? "; use foreach=True if the optimizer has no fused version"
                                     : "");
  finding.evidence.push_back({"optimizer kernels", input.PerStep(optimizer->gpu_time), kernels,
                              optimizer->ops.front(), optimizer->gpu.front()});
  finding.confidence = optimizer->elements > 0 ? Confidence::kHigh : Confidence::kMedium;
  finding.assumes = "parameters and gradients are floating-point tensors on one GPU";
  finding.edit = [&input, optimizer = std::move(*optimizer), fused_ns](Scenario& scenario) {
    Replace(input, optimizer, fused_ns, scenario);
  };
  return finding;
}

}  // namespace

Rule Define() { return {"fused-optimizer", "Many small optimizer kernels", Run}; }

}  // namespace warpsight::rules::fused_optimizer
