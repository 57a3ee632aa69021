#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/advice/rule.h"
#include "analysis/facts/range_names.h"
#include "base/text.h"

namespace warpsight::rules::host_sync {

Rule Define();

namespace {

// Ops that exist only to bring a value to the CPU: without it, all of their work goes away.
bool OnlyFetches(std::string_view op) {
  for (const std::string_view name :
       {"aten::item", "aten::_local_scalar_dense", "aten::is_nonzero", "aten::equal"}) {
    if (op == name) return true;
  }
  return false;
}

struct Sync {
  ApiId api;
  HostId op = kNone<HostId>;  // the outermost op around it
};

struct Group {
  DurationNs time = 0;
  int64_t count = 0;
  HostId host = kNone<HostId>;
  bool fetches = false;
};

// Waits for the GPU on threads that launch work: synchronising calls, and copies to pageable
// memory, which come back only when the data is there.
std::vector<Sync> FindSyncs(const RuleInput& input) {
  const Trace& trace = input.profile.trace;
  const FactTables& facts = input.profile.facts;
  std::vector<Sync> syncs;
  ByName<bool> synchronises(trace, IsSynchronisation);
  for (const StepGraph& graph : input.what_if.graphs()) {
    ApiId last = kNone<ApiId>;
    for (const CallNode& call : graph.calls) {
      if (!IsSet(call.api) || call.api == last || call.wait_for == kNoNode) continue;
      const size_t a = Index(call.api);
      bool waits = synchronises[trace.tables.api.name[a]];
      if (!waits) {
        const GpuId task = graph.tasks[call.wait_for].gpu;
        waits = facts.gpu.api[Index(task)] == call.api &&
                trace.tables.gpu.copy_direction[Index(task)] == CopyDirection::kDeviceToHost;
      }
      if (!waits) continue;
      last = call.api;
      const HostId inner = facts.api.op[a];
      syncs.push_back({call.api, IsSet(inner) ? facts.host.op[Index(inner)] : inner});
      if (IsSet(inner) && !IsSet(syncs.back().op)) syncs.back().op = inner;
    }
  }
  return syncs;
}

// A loop that computes a small result and fetches it, again and again (norm().item() of every
// parameter), is replaced as a whole: one call computes all of them.
constexpr int64_t kLoop = 10;

// The op that ran before a fetching one on its thread, for fetches that follow the same kind of op
// many times per step.
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

std::string_view NameOf(const RuleInput& input, const Sync& sync) {
  const Trace& trace = input.profile.trace;
  return IsSet(sync.op) ? trace.Text(trace.tables.host.name[Index(sync.op)])
                        : trace.Text(trace.tables.api.name[Index(sync.api)]);
}

// The Python frame from which an op was called, where recorded.
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

RuleResult Run(const RuleInput& input) {
  if (input.what_if.empty()) return WithoutGpuWork();
  if (input.profile.trace.tables.api.start.empty()) {
    return Skipped{"CUDA calls were not recorded, so waits of the CPU are not visible"};
  }
  const std::vector<Sync> syncs = FindSyncs(input);
  if (syncs.empty()) return Healthy{};
  if (input.range.source == IterationSource::kNone) {
    return Skipped{"no iterations were found, so waits inside a step cannot be told from its end"};
  }
  const ApiCallsTable& api = input.profile.trace.tables.api;
  std::map<std::string, Group> groups;
  std::vector<HostId> removed;
  std::vector<ApiId> dropped;
  for (const Sync& sync : syncs) {
    const std::string_view name = NameOf(input, sync);
    Group& group = groups[std::string(name)];
    group.time += api.duration[Index(sync.api)];
    ++group.count;
    if (!IsSet(group.host)) group.host = sync.op;
    group.fetches = IsSet(sync.op) && OnlyFetches(name);
    if (group.fetches) {
      removed.push_back(sync.op);
    } else {
      dropped.push_back(sync.api);
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
      "The CPU stops {} per step to wait for the GPU, mostly in {}; meanwhile it launches nothing, "
      "and afterwards the GPU waits for it.",
      per_step < 1.5 ? "once" : fmt::format("{:.0f} times", per_step), sorted.front().first);
  finding.recommendation =
      "Keep values on the GPU: add them up as tensors (total += loss.detach()) and call .item(), "
      ".cpu() or print only every N steps; clip gradients with torch.nn.utils.clip_grad_norm_ "
      "instead of a loop of norm().item(); replace `if tensor:` by torch.where; copy with "
      "non_blocking=True into pinned memory; no torch.cuda.synchronize() in the loop. In JAX: "
      "block_until_ready() and float(x) only for logging.";
  for (size_t i = 0; i < sorted.size() && i < 5; ++i) {
    const Group& group = sorted[i].second;
    const std::string stack = StackOf(input, group.host);
    finding.evidence.push_back(
        {stack.empty() ? sorted[i].first : fmt::format("{} from {}", sorted[i].first, stack),
         input.PerStep(group.time), input.PerStep(static_cast<size_t>(group.count)), group.host,
         kNone<GpuId>});
  }
  finding.confidence = Confidence::kHigh;
  finding.assumes = "the results are not needed on the CPU within the step";
  finding.edit = [removed = std::move(removed), dropped = std::move(dropped)](Scenario& scenario) {
    scenario.RemoveOps(removed);
    for (const ApiId call : dropped) {
      scenario.DropWait(call);
    }
  };
  return finding;
}

}  // namespace

Rule Define() { return {"host-sync", "The CPU waits for the GPU inside the step", Run}; }

}  // namespace warpsight::rules::host_sync
