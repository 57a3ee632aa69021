#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/advice/ledger_words.h"
#include "analysis/advice/rule.h"
#include "analysis/facts/range_names.h"

namespace warpsight::rules::allocation_in_step {

Rule Define();

namespace {

struct Allocations {
  std::vector<ApiId> calls;  // including the synchronizations that belong to them
  DurationNs time = 0;
  int64_t count = 0;
  ApiId longest = kNone<ApiId>;
  std::map<std::string_view, int64_t> names;
};

// Calls that allocate or free, on threads that launch work. A synchronization directly before or
// after one belongs to it, since freeing cached memory waits for the GPU.
Allocations FindAllocations(const RuleInput& input) {
  const ApiCallsTable& api = input.profile.trace.tables.api;
  ByName<bool> allocates(input.profile.trace, IsAllocation);
  ByName<bool> waits(input.profile.trace, IsSynchronization);
  Allocations found;
  for (const StepGraph& graph : input.what_if.graphs()) {
    for (size_t i = 0; i < graph.calls.size(); ++i) {
      const CallNode& call = graph.calls[i];
      if (!IsSet(call.api)) continue;
      const StringId name = api.name[Index(call.api)];
      const auto neighbor_allocates = [&](uint32_t other) {
        return other != kNoNode && IsSet(graph.calls[other].api) &&
               allocates[api.name[Index(graph.calls[other].api)]];
      };
      if (allocates[name]) {
        const DurationNs time = api.duration[Index(call.api)];
        found.calls.push_back(call.api);
        found.time += time;
        ++found.count;
        ++found.names[input.profile.trace.Text(name)];
        if (!IsSet(found.longest) || time > api.duration[Index(found.longest)]) {
          found.longest = call.api;
        }
      } else if (waits[name] &&
                 (neighbor_allocates(call.before) ||
                  (i + 1 < graph.calls.size() && graph.calls[i + 1].thread == call.thread &&
                   neighbor_allocates(static_cast<uint32_t>(i + 1))))) {
        found.calls.push_back(call.api);
        found.time += api.duration[Index(call.api)];
      }
    }
  }
  return found;
}

RuleResult Run(const RuleInput& input) {
  if (input.what_if.empty()) return WithoutGpuWork();
  if (input.profile.trace.tables.api.start.empty()) {
    return Skipped{"CUDA calls were not recorded, so allocations are not visible"};
  }
  Allocations found = FindAllocations(input);
  // The caching allocator occasionally grows. Memory is considered allocated in steps only if there
  // is a call for every step.
  if (found.count < input.what_if.steps()) return Healthy{};
  std::string names;
  for (const auto& [name, count] : found.names) {
    names += fmt::format("{}{} {}", names.empty() ? "" : ", ",
                         input.PerStep(static_cast<size_t>(count)), name);
  }
  Finding finding;
  finding.problem = fmt::format(
      "GPU memory is allocated and freed inside the step ({} per step): {} per step in "
      "calls that also wait for the GPU; {}.",
      names, input.TimePerStep(found.time), Takes(input.range, IdleCause::kAllocation));
  finding.recommendation =
      "Let the caching allocator keep memory: no torch.cuda.empty_cache() in the loop; "
      "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True where memory is fragmented; pad batches to "
      "a few sizes. In JAX: XLA_PYTHON_CLIENT_PREALLOCATE=true. In CUDA C++: allocate before the "
      "loop, or cudaMallocAsync with a memory pool.";
  const FactTables& facts = input.profile.facts;
  finding.evidence.push_back({"allocating and freeing calls", input.PerStep(found.time),
                              input.PerStep(static_cast<size_t>(found.count)),
                              facts.api.op[Index(found.longest)], kNone<GpuId>});
  finding.confidence = Confidence::kHigh;
  finding.assumes = "the step fits in memory without freeing any in between";
  finding.edit = [calls = std::move(found.calls)](Scenario& scenario) {
    for (const ApiId call : calls) scenario.RemoveCall(call);
  };
  return finding;
}

}  // namespace

Rule Define() { return {"allocation-in-step", "Memory is allocated inside the step", Run}; }

}  // namespace warpsight::rules::allocation_in_step
