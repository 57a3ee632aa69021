#include <fmt/format.h>

#include "analysis/advice/rule.h"

namespace warpsight::rules::no_iterations {

Rule Define();

namespace {

RuleResult Run(const RuleInput& input) {
  if (input.range.source != IterationSource::kNone) return Healthy{};
  Finding finding;
  finding.problem =
      "The trace could not be split into iterations, so all per-step figures cover the whole "
      "recording, including start-up.";
  finding.recommendation =
      "Mark the steps: with torch.profiler.profile(schedule=torch.profiler.schedule(wait=1, "
      "warmup=2, active=5)) as prof, call prof.step() after each one; or put with "
      "torch.profiler.record_function(f\"step {i}\") around it. In JAX: "
      "jax.profiler.StepTraceAnnotation(\"train\", step_num=i). In CUDA C++ and under nsys: "
      "nvtxRangePush(\"step 17\") with a number at the end. For an existing trace: --key-op NAME, "
      "an op that runs once at the end of each step.";
  finding.evidence.push_back(
      {input.range.explanation, input.range.wall, kMissing, kNone<HostId>, kNone<GpuId>});
  finding.confidence = Confidence::kHigh;
  return finding;
}

}  // namespace

Rule Define() { return {"no-iterations", "The trace shows no iterations", Run}; }

}  // namespace warpsight::rules::no_iterations
