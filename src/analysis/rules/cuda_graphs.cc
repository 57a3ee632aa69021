#include <fmt/format.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/advice/launches.h"
#include "analysis/advice/ledger_words.h"
#include "analysis/advice/rule.h"
#include "analysis/facts/range_names.h"

namespace warpsight::rules::cuda_graphs {

Rule Define();

namespace {

// Launching a graph takes about 10 us on the CPU for a few hundred nodes.
constexpr DurationNs kGraphLaunch = 10'000;
// Gaps between kernels are 0.22 to 0.29 us in a graph (H200), and 1.2 us between queued launches.
constexpr DurationNs kGraphGap = 250;

// The last synchronization of every iteration. A captured step cannot contain synchronizations, but
// the program may wait after it.
std::vector<ApiId> LastWaits(const RuleInput& input) {
  const Trace& trace = input.profile.trace;
  ByName<bool> waits(trace, IsSynchronization);
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

std::string_view Recommendation(const ProgramKind& program) {
  switch (program.framework) {
    case Framework::kJax:
      return "Put the whole step under one jax.jit, and let XLA launch it as CUDA graphs (command "
             "buffers): XLA_FLAGS=\"--xla_gpu_enable_command_buffer=FUSION,CUBLAS,CUBLASLT,CUDNN,"
             "CUSTOM_CALL --xla_gpu_graph_min_graph_size=1\". Donate the state "
             "(donate_argnums=0), so that its buffers keep their addresses.";
    case Framework::kTensorflow:
      return "Compile the step with XLA (tf.function(jit_compile=True)), which fuses kernels, and "
             "let it launch them as CUDA graphs: "
             "XLA_FLAGS=--xla_gpu_enable_command_buffer=FUSION,CUBLAS,CUDNN.";
    case Framework::kPytorch:
      if (program.serves) {
        return "Let the server replay CUDA graphs: no --enforce-eager in vLLM, no "
               "--disable-cuda-graph in SGLang, cuda_graph_config in TensorRT-LLM, captured for "
               "the "
               "batch sizes that occur.";
      }
      if (program.trains) {
        return "Capture the whole step once and replay it: g = torch.cuda.CUDAGraph(); with "
               "torch.cuda.graph(g): step(static_input), then copy each batch into static_input "
               "and "
               "g.replay() (optimizer with capturable=True). Simpler, but only for the model's "
               "part "
               "of the step: torch.compile(model, mode=\"reduce-overhead\"). A larger batch also "
               "gives the GPU more work per launch.";
      }
      return "Capture the model once and replay it: g = torch.cuda.CUDAGraph(); with "
             "torch.cuda.graph(g): static_output = model(static_input), then copy each input into "
             "static_input and g.replay(). Simpler: torch.compile(model, "
             "mode=\"reduce-overhead\"). A larger batch also gives the GPU more work per launch.";
    case Framework::kUnknown:
      break;
  }
  return "Capture the step once (cudaStreamBeginCapture ... cudaStreamEndCapture, "
         "cudaGraphInstantiate) and replay it with cudaGraphLaunch.";
}

RuleResult Run(const RuleInput& input) {
  if (input.what_if.empty()) return WithoutGpuWork();
  if (input.profile.trace.tables.api.start.empty()) {
    return Skipped{
        "CUDA calls were not recorded, so launches cannot be distinguished from waiting"};
  }
  const Launches launches = CountLaunches(input);
  if (input.range.source == IterationSource::kNone) {
    return Skipped{"no iterations were found, so the repeated part is unknown"};
  }
  if (!GraphsApply(input, launches)) return Healthy{};
  const bool same_work = launches.SameInEach();
  const int64_t per_step = input.PerStep(static_cast<size_t>(launches.total));
  Finding finding;
  finding.problem =
      fmt::format("The host launches {} kernels and copies per step one by one; {}.", per_step,
                  Take(input.range, IdleCause::kHostWork, IdleCause::kLaunchLatency));
  finding.recommendation = Recommendation(input.program);
  finding.evidence.push_back({"GPU work launched one by one", kMissing, per_step, kNone<HostId>,
                              input.work.gpu().front()});
  if (input.range.synchronizations > 0) {
    // The count is per process: one wait may be for several GPUs.
    const int64_t steps = input.range.steps();
    finding.evidence.push_back({"host synchronizations, which a captured step must not contain",
                                kMissing, (input.range.synchronizations + steps / 2) / steps,
                                kNone<HostId>, kNone<GpuId>});
  }
  finding.confidence = same_work ? Confidence::kHigh : Confidence::kLow;
  finding.assumes = same_work ? "shapes stay the same from step to step, as they do in this trace, "
                                "and the step needs no result on the host"
                              : "the step can be changed to do the same work each time; this trace "
                                "does not show that it does";
  finding.edit = [kept = DataLoadingTimes(input.profile.trace),
                  waits = LastWaits(input)](Scenario& scenario) {
    scenario.LaunchAsGraph(kGraphLaunch, kGraphGap, kept, waits);
  };
  return finding;
}

}  // namespace

Rule Define() { return {"cuda-graphs", "The GPU waits for launches", Run}; }

}  // namespace warpsight::rules::cuda_graphs
