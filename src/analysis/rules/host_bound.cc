#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/advice/idle_host_work.h"
#include "analysis/advice/launches.h"
#include "analysis/advice/ledger_words.h"
#include "analysis/advice/notable_idle.h"
#include "analysis/advice/rule.h"
#include "analysis/text/format.h"

namespace warpsight::rules::host_bound {

Rule Define();

namespace {

// If the GPU works for a smaller share of the time, more work per call has no significant effect.
constexpr double kSomeWork = 0.01;
// The work per call is doubled, up to eight times, as long as the time per unit of work falls by at
// least this share.
constexpr double kMinDoublingGain = 0.10;
constexpr int kMost = 8;

// XLA records its CUDA graph again if the addresses of buffers change.
constexpr std::string_view kGraphUpdate = "command_buffer::update";

// Simulates `times` as much GPU work for the same host work. A data loader without worker processes
// prepares each sample on the launching thread, so its time grows, too.
void ScaleWork(const RuleInput& input, const CpuTimes& loading, int times, Scenario& scenario) {
  for (const GpuId gpu : input.work.gpu()) scenario.Scale(gpu, times);
  scenario.ScaleCpuTime(loading, times);
}

// How many times as much work each call should launch; 1: no change.
int ChooseTimes(const RuleInput& input, const CpuTimes& loading) {
  auto best = static_cast<double>(input.what_if.step());
  int chosen = 1;
  for (int times = 2; times <= kMost; times *= 2) {
    const DurationNs step = input.what_if.StepAfter(
        [&](Scenario& scenario) { ScaleWork(input, loading, times, scenario); });
    const double each = static_cast<double>(step) / times;
    if (each > (1 - kMinDoublingGain) * best) break;
    best = each;
    chosen = times;
  }
  return chosen;
}

// Whether several steps can share host work without changing the results.
bool RunsStepsTogether(Framework framework) {
  return framework == Framework::kJax || framework == Framework::kTensorflow;
}

std::string Recommendation(const ProgramKind& program, int times, bool updates_graph) {
  const std::string many = times > 1 ? std::to_string(times) : "several";
  switch (program.framework) {
    case Framework::kJax:
      return fmt::format(
          "Do more work per call: run {} steps in one jax.jit with jax.lax.scan (or fori_loop) "
          "over "
          "as many batches. Donate the state (jax.jit(step, donate_argnums=0)), so that its "
          "buffers keep their addresses{}; put the next inputs on the GPU (jax.device_put) while "
          "the "
          "step runs; read results only every few steps.",
          many,
          updates_graph ? ": command_buffer::update records XLA's CUDA graph again in every step "
                          "because the buffer addresses change"
                        : "");
    case Framework::kTensorflow:
      return fmt::format(
          "Do more work per call: model.compile(..., steps_per_execution={}, jit_compile=True), or "
          "a tf.function around a loop of steps; dataset.prefetch(tf.data.AUTOTUNE).",
          many);
    case Framework::kPytorch:
      if (program.serves) {
        return "Do more work per step, or less host work in it: more requests per step, CUDA "
               "graphs (no --enforce-eager), and scheduling that prepares the next step while this "
               "one runs (vLLM: --async-scheduling; SGLang: the overlap scheduler).";
      }
      return fmt::format(
          "Give each launch more work, or the host less: a batch {} times as large; "
          "torch.compile(model, mode=\"reduce-overhead\"); move work that does not need to be in "
          "the loop (see the evidence) out of it, or into another thread or process.",
          many);
    case Framework::kUnknown:
      break;
  }
  return "Give the host less to do between launches (see the evidence): move work out of the loop "
         "or "
         "into another thread, launch the next work before reading the results of the previous "
         "one, and give each launch more work. Where the same launches repeat: "
         "cudaStreamBeginCapture "
         "... cudaGraphLaunch.";
}

RuleResult Run(const RuleInput& input) {
  if (input.what_if.empty()) return WithoutGpuWork();
  if (!IsNotableIdle(input.range, IdleCause::kHostWork)) return Healthy{};
  const Launches launches = CountLaunches(input);
  if (GraphsApply(input, launches)) return Healthy{};  // the rule cuda-graphs reports it
  CpuTimes loading = DataLoadingTimes(input.profile.trace);
  const bool steps = input.range.source != IterationSource::kNone;
  const bool predicts = steps && input.range.gpu_utilization >= kSomeWork;
  const int times = predicts ? ChooseTimes(input, loading) : 1;
  const std::vector<IdleHostWork> done = FindIdleHostWork(input);
  const bool updates_graph = std::any_of(
      done.begin(), done.end(), [](const IdleHostWork& work) { return work.name == kGraphUpdate; });
  Finding finding;
  finding.problem = fmt::format(
      "{}: {} the GPU works for {} and waits for {} until the host has launched the next work.",
      Sentence(Takes(input.range, IdleCause::kHostWork)), ScopeOf(input.range),
      FormatDuration(static_cast<double>(input.PerStep(input.range.busy))),
      FormatDuration(static_cast<double>(input.PerStep(input.range.Of(IdleCause::kHostWork)))));
  finding.recommendation = Recommendation(input.program, times, updates_graph);
  for (size_t i = 0; i < done.size() && i < 5; ++i) {
    finding.evidence.push_back({"host during that time: " + done[i].name,
                                input.PerStep(done[i].time), kMissing, done[i].host, kNone<GpuId>});
  }
  if (finding.evidence.empty()) {
    finding.evidence.push_back({"idle, host work before the launch",
                                input.PerStep(input.range.Of(IdleCause::kHostWork)), kMissing,
                                kNone<HostId>, kNone<GpuId>});
  }
  finding.confidence = Confidence::kLow;
  if (times == 1) return finding;
  const bool together = RunsStepsTogether(input.program.framework);
  finding.assumes = together ? fmt::format(
                                   "{} steps in one call cost the host as much as one step now, "
                                   "and need no host work in between",
                                   times)
                             : fmt::format(
                                   "host work stays the same with {} times the work per step; the "
                                   "predicted time is for the current amount of work",
                                   times);
  finding.work = times;
  finding.larger_batch = !together;
  finding.edit = [&input, loading = std::move(loading), times](Scenario& scenario) {
    ScaleWork(input, loading, times, scenario);
  };
  return finding;
}

}  // namespace

Rule Define() {
  return {"host-bound", "The GPU waits for the host, with few launches", Run, "small-batch"};
}

}  // namespace warpsight::rules::host_bound
