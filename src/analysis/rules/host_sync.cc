#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/accounting/waiting_calls.h"
#include "analysis/advice/ledger_words.h"
#include "analysis/advice/rule.h"
#include "analysis/facts/range_names.h"
#include "base/text.h"

namespace warpsight::rules::host_sync {

Rule Define();

namespace {

// Ops that exist only to copy a value to the CPU: without the fetch, all of their work is removed.
bool OnlyFetches(std::string_view op) {
  for (const std::string_view name :
       {"aten::item", "aten::_local_scalar_dense", "aten::is_nonzero", "aten::equal"}) {
    if (op == name) return true;
  }
  return false;
}

// Waits by the outermost op around them.
struct Group {
  DurationNs time = 0;
  int64_t count = 0;
  HostId host = kNone<HostId>;
  bool fetches = false;
};

// The outermost op around a call.
HostId OpAround(const RuleInput& input, ApiId call) {
  const FactTables& facts = input.profile.facts;
  const HostId inner = IsSet(call) ? facts.api.op[Index(call)] : kNone<HostId>;
  if (!IsSet(inner)) return inner;
  const HostId outer = facts.host.op[Index(inner)];
  return IsSet(outer) ? outer : inner;
}

// The host synchronizations of the aggregated iterations.
std::vector<HostWait> FindSyncs(const RuleInput& input) {
  std::vector<HostWait> waits = FindHostWaits(input.profile.trace, input.profile.facts);
  std::erase_if(waits, [&](const HostWait& wait) {
    const IterationId iteration = input.profile.facts.api.iteration[Index(wait.Place())];
    return !input.range.Contains(input.profile, iteration);
  });
  return waits;
}

// The calls of the graph that wait and that a program may not need: those that synchronize, and
// copies to the host. A call after a copy may have nothing left to wait for, but would have to wait
// if the copy no longer did.
std::vector<ApiId> WaitingInGraph(const RuleInput& input) {
  const Trace& trace = input.profile.trace;
  std::vector<ApiId> calls;
  const std::vector<bool> waiting = WaitingCalls(trace, input.profile.facts);
  for (const StepGraph& graph : input.what_if.graphs()) {
    for (const CallNode& call : graph.calls) {
      if (!IsSet(call.api) || call.wait_for == kNoNode) continue;
      const size_t a = Index(call.api);
      const bool again = !calls.empty() && calls.back() == call.api;
      if (!again && waiting[a]) calls.push_back(call.api);
    }
  }
  return calls;
}

bool WaitsWithoutCall(const RuleInput& input) {
  for (const StepGraph& graph : input.what_if.graphs()) {
    for (const CallNode& call : graph.calls) {
      if (call.resumed > 0 && call.wait_for != kNoNode) return true;
    }
  }
  return false;
}

// If a loop computes a small result and fetches it many times (norm().item() of every parameter),
// the whole loop is replaced: one call computes all results.
constexpr int64_t kLoop = 10;

// The op that ran before a fetching op on its thread, for fetches that follow an op of the same
// name many times per step.
std::vector<HostId> ProducersInLoops(const RuleInput& input, const std::vector<HostId>& fetches) {
  const Trace& trace = input.profile.trace;
  std::vector<bool> fetching(trace.tables.host.start.size());
  for (const HostId op : fetches) fetching[Index(op)] = true;
  std::vector<HostId> before(RowCount(trace.tables.threads), kNone<HostId>);
  std::map<StringId, std::vector<HostId>> producers;
  for (size_t h = 0; h < trace.tables.host.start.size(); ++h) {
    if (input.profile.facts.host.op[h] != MakeId<HostId>(h)) continue;
    HostId& last = before[Index(trace.tables.host.thread[h])];
    if (fetching[h] && IsSet(last)) {
      producers[trace.tables.host.name[Index(last)]].push_back(last);
    }
    last = MakeId<HostId>(h);
  }
  std::vector<HostId> found;
  for (const auto& [name, ops] : producers) {
    if (input.PerStep(ops.size()) >= kLoop) found.insert(found.end(), ops.begin(), ops.end());
  }
  return found;
}

// The name of a wait in the evidence.
std::string_view NameOf(const RuleInput& input, const HostWait& wait, HostId op) {
  const Trace& trace = input.profile.trace;
  if (IsSet(op)) return trace.Text(trace.tables.host.name[Index(op)]);
  if (IsSet(wait.call)) return trace.Text(trace.tables.api.name[Index(wait.call)]);
  return "a wait for results without a CUDA call";
}

// The Python frame from which an op was called, if recorded.
std::string StackOf(const RuleInput& input, HostId op) {
  const Trace& trace = input.profile.trace;
  if (!IsSet(op)) return {};
  const HostExtraId extra = trace.tables.host.extra[Index(op)];
  if (IsSet(extra)) {
    std::string_view stack = trace.Text(trace.tables.host_extras.call_stack[Index(extra)]);
    if (!stack.empty()) return std::string(stack.substr(0, stack.find(';')));
  }
  for (HostId at = op; IsSet(at); at = input.profile.facts.host.parent[Index(at)]) {
    if (trace.tables.host.kind[Index(at)] == HostKind::kPythonFunction) {
      return std::string(trace.Text(trace.tables.host.name[Index(at)]));
    }
  }
  return {};
}

std::string_view Recommendation(const ProgramKind& program) {
  switch (program.framework) {
    case Framework::kJax:
      return "Let the host run ahead: call the next step before reading the results of the "
             "previous one. "
             "block_until_ready(), float(x) and print(x) only every N steps, for logging; time N "
             "steps together, with one block_until_ready() at the end. JAX queues calls "
             "automatically.";
    case Framework::kTensorflow:
      return "Keep values on the GPU: .numpy(), print and summaries only every N steps; "
             "model.compile(..., steps_per_execution=N) returns to Python only every N steps.";
    case Framework::kPytorch:
      return program.serves
                 ? "Keep the inputs of the next step on the GPU, and fetch tokens while it runs, "
                   "as asynchronous scheduling of servers does (vLLM: --async-scheduling; SGLang: "
                   "the "
                   "overlap scheduler). Copy with non_blocking=True into pinned memory, and wait "
                   "for an event instead of the stream."
                 : "Keep values on the GPU: sum them as tensors (total += loss.detach()) and "
                   "call .item(), .cpu() or print only every N steps; clip gradients with "
                   "torch.nn.utils.clip_grad_norm_ instead of a loop of norm().item(); replace `if "
                   "tensor:` by torch.where; copy with non_blocking=True into pinned memory; no "
                   "torch.cuda.synchronize() in the loop.";
    case Framework::kUnknown:
      break;
  }
  return "Wait as late as possible: no cudaDeviceSynchronize between launches; cudaMemcpyAsync "
         "from "
         "and into pinned memory (cudaMallocHost); order work with streams and events "
         "(cudaStreamWaitEvent), and wait only for results that the host needs.";
}

RuleResult Run(const RuleInput& input) {
  if (input.what_if.empty()) return WithoutGpuWork();
  if (input.profile.trace.tables.api.start.empty()) {
    return Skipped{"CUDA calls were not recorded, so waits of the host are not visible"};
  }
  const std::vector<HostWait> syncs = FindSyncs(input);
  const std::vector<ApiId> waiting = WaitingInGraph(input);
  const bool without_call = WaitsWithoutCall(input);
  if (syncs.empty() || (waiting.empty() && !without_call)) return Healthy{};
  if (input.range.source == IterationSource::kNone) {
    return Skipped{
        "no iterations were found, so waits inside a step cannot be distinguished from its end"};
  }
  std::map<std::string, Group> groups;
  for (const HostWait& wait : syncs) {
    const HostId op = OpAround(input, wait.call);
    const std::string_view name = NameOf(input, wait, op);
    Group& group = groups[std::string(name)];
    group.time += wait.end - wait.start;
    ++group.count;
    if (!IsSet(group.host)) group.host = op;
    group.fetches = IsSet(op) && OnlyFetches(name);
  }
  std::vector<HostId> removed;
  std::vector<ApiId> dropped;
  for (const ApiId call : waiting) {
    const HostId op = OpAround(input, call);
    if (IsSet(op) &&
        OnlyFetches(input.profile.trace.Text(input.profile.trace.tables.host.name[Index(op)]))) {
      removed.push_back(op);
    } else {
      dropped.push_back(call);
    }
  }
  const std::vector<HostId> producers = ProducersInLoops(input, removed);
  removed.insert(removed.end(), producers.begin(), producers.end());
  std::vector<std::pair<std::string, Group>> sorted(groups.begin(), groups.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.count > b.second.count; });
  const auto per_step =
      static_cast<double>(syncs.size()) / static_cast<double>(input.what_if.steps());
  Finding finding;
  finding.problem = fmt::format(
      "The host waits for the GPU {} per step, mostly in {}; during that time it launches nothing, "
      "and afterwards the GPU waits for it: {}.",
      per_step < 1.5 ? "once" : fmt::format("{:.0f} times", per_step), sorted.front().first,
      Take(input.range, IdleCause::kSync, IdleCause::kHostWork));
  finding.recommendation = Recommendation(input.program);
  for (size_t i = 0; i < sorted.size() && i < 5; ++i) {
    const Group& group = sorted[i].second;
    const std::string stack = StackOf(input, group.host);
    finding.evidence.push_back(
        {stack.empty() ? sorted[i].first : fmt::format("{} from {}", sorted[i].first, stack),
         input.PerStep(group.time), input.PerStep(static_cast<size_t>(group.count)), group.host,
         kNone<GpuId>});
  }
  finding.confidence = without_call ? Confidence::kMedium : Confidence::kHigh;
  finding.assumes =
      without_call
          ? "the results are not needed on the host within the step. No CUDA call shows these "
            "waits: "
            "the thread does nothing until the GPU has finished and its host function has run"
          : "the results are not needed on the host within the step";
  finding.edit = [removed = std::move(removed), dropped = std::move(dropped)](Scenario& scenario) {
    scenario.RemoveOps(removed);
    for (const ApiId call : dropped) scenario.DropWait(call);
    scenario.DropWaitsWithoutCall();
  };
  return finding;
}

}  // namespace

Rule Define() { return {"host-sync", "The host waits for the GPU inside the step", Run}; }

}  // namespace warpsight::rules::host_sync
