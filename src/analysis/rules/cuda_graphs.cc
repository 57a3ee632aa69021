#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analysis/advice/rule.h"
#include "analysis/facts/range_names.h"
#include "analysis/reporting/format.h"

namespace warpsight::rules::cuda_graphs {

Rule Define();

namespace {

// Replaying a graph costs the CPU about 10 us for a few hundred nodes.
constexpr DurationNs kGraphLaunch = 10'000;
// Kernels of a graph follow each other at 0.22 to 0.29 us (H200), queued launches at 1.2 us.
constexpr DurationNs kGraphGap = 250;
// Fewer launches per step are not what holds a step up.
constexpr int64_t kManyLaunches = 20;

struct Launches {
  std::vector<int64_t> per_iteration;  // GPU work by iteration
  int64_t by_graph = 0;
  int64_t total = 0;
};

Launches CountLaunches(const RuleInput& input) {
  const FactTables& facts = input.profile.facts;
  ByName<bool> graph_launch(input.profile.trace, IsGraphLaunch);
  Launches launches;
  launches.per_iteration.resize(facts.iterations.start.size());
  for (const GpuId gpu : input.work.gpu()) {
    ++launches.total;
    ++launches.per_iteration[Index(facts.gpu.iteration[Index(gpu)])];
    const ApiId call = facts.gpu.api[Index(gpu)];
    if (!IsSet(call)) continue;
    launches.by_graph += graph_launch[input.profile.trace.tables.api.name[Index(call)]];
  }
  std::erase(launches.per_iteration, 0);
  return launches;
}

// The last synchronisation of every iteration: a captured step contains none, but the program may
// wait after it.
std::vector<ApiId> LastWaits(const RuleInput& input) {
  const Trace& trace = input.profile.trace;
  ByName<bool> waits(trace, IsSynchronisation);
  std::vector<ApiId> last(input.profile.facts.iterations.start.size(), kNone<ApiId>);
  for (const StepGraph& graph : input.what_if.graphs()) {
    for (const CallNode& call : graph.calls) {
      if (!IsSet(call.api) || call.wait_for == kNoNode) continue;
      if (!waits[trace.tables.api.name[Index(call.api)]]) continue;
      last[Index(input.profile.facts.api.iteration[Index(call.api)])] = call.api;
    }
  }
  std::erase_if(last, [](ApiId call) { return !IsSet(call); });
  return last;
}

RuleResult Run(const RuleInput& input) {
  if (input.what_if.empty()) return WithoutGpuWork();
  if (input.profile.trace.tables.api.start.empty()) {
    return Skipped{"CUDA calls were not recorded, so launches cannot be told from waiting"};
  }
  const Launches launches = CountLaunches(input);
  if (2 * launches.by_graph > launches.total) return Healthy{};
  const int64_t per_step = input.PerStep(static_cast<size_t>(launches.total));
  if (per_step < kManyLaunches) return Healthy{};
  const auto [least, most] =
      std::minmax_element(launches.per_iteration.begin(), launches.per_iteration.end());
  const bool same_work = *least == *most && input.range.source != IterationSource::kNone;
  const DurationNs idle =
      input.range.Of(IdleCause::kHostWork) + input.range.Of(IdleCause::kLaunchLatency);
  Finding finding;
  finding.problem = fmt::format(
      "The CPU launches {} kernels and copies per step one by one; host work before the launch and "
      "launch latency take {} of the GPU's time.",
      per_step, FormatShare(input.range.Share(idle), 1));
  finding.recommendation =
      "Capture the whole step once and replay it: g = torch.cuda.CUDAGraph(); with "
      "torch.cuda.graph(g): step(static_input), then copy each batch into static_input and "
      "g.replay() (optimizer with capturable=True). Simpler, but only for the model's part of the "
      "step: torch.compile(model, mode=\"reduce-overhead\"). A larger batch also gives the GPU "
      "more work per launch. In JAX: put the whole step under one jax.jit. In CUDA C++: "
      "cudaStreamBeginCapture ... cudaGraphLaunch.";
  finding.evidence.push_back({"GPU work launched one by one", kMissing, per_step, kNone<HostId>,
                              input.work.gpu().front()});
  if (input.range.synchronizations > 0) {
    finding.evidence.push_back({"host synchronizations, which a captured step must not contain",
                                kMissing,
                                input.PerStep(static_cast<size_t>(input.range.synchronizations)),
                                kNone<HostId>, kNone<GpuId>});
  }
  finding.confidence = same_work ? Confidence::kHigh : Confidence::kLow;
  finding.assumes = same_work
                        ? "shapes stay the same from step to step, as they do in this trace, "
                          "and the step needs no result on the CPU"
                        : "the step can be made to do the same work each time; this trace does "
                          "not show that it does";
  finding.edit = [kept = DataLoadingTimes(input.profile.trace),
                  waits = LastWaits(input)](Scenario& scenario) {
    scenario.LaunchAsGraph(kGraphLaunch, kGraphGap, kept, waits);
  };
  return finding;
}

}  // namespace

Rule Define() { return {"cuda-graphs", "The GPU waits for launches", Run}; }

}  // namespace warpsight::rules::cuda_graphs
