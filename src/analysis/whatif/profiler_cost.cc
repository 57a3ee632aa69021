#include "analysis/whatif/profiler_cost.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "analysis/facts/range_names.h"
#include "analysis/whatif/replay.h"

namespace warpsight {
namespace {

// An op that only calls another one takes as long as recording the other one and a little more. By
// that measure, recording an op costs 1.2 and recording a CUDA call 2: on 38 workloads that the CPU
// limits, timed with and without torch.profiler on an H200, steps corrected so are right in the
// median, and half of them within 14 %.
constexpr double kRangeCost = 1.2;
constexpr double kCallCost = 2.0;
// However many records it made, so much of a piece of CPU work was the program's own.
constexpr double kOwnShare = 0.25;
constexpr size_t kEnough = 20;

// The queue at the start of the range, in steps of GPU work, that shows a CPU running ahead: a step
// that waits for the GPU at its end leaves none, one that the CPU limits leaves its last kernels.
// On 62 recorded workloads these two bounds tell apart which ones the GPU limits.
constexpr double kAhead = 0.12;
constexpr double kBusy = 0.4;
// CPU work is made shorter in steps of 2 %, down to this share.
constexpr double kLeastCpu = 0.3;
constexpr int kSteps = 35;
constexpr double kSame = 1.002;

// Ops that only call one other op.
bool IsThinWrapper(std::string_view name) {
  constexpr std::array kNames = {"aten::t", "aten::transpose", "aten::detach", "aten::reshape",
                                 "aten::empty_like"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

}  // namespace

std::vector<ProfilerCost> EstimateProfilerCost(const Profile& profile) {
  const HostRangesTable& host = profile.trace.tables.host;
  const HostFactsTable& facts = profile.facts.host;
  ByName<bool> thin(profile.trace, IsThinWrapper);
  struct Inner {
    uint32_t count = 0;
    DurationNs time = 0;
  };
  std::vector<Inner> inner(host.start.size());
  for (size_t h = 0; h < host.start.size(); ++h) {
    if (!IsSet(facts.parent[h])) continue;
    Inner& parent = inner[Index(facts.parent[h])];
    ++parent.count;
    parent.time += host.duration[h];
  }
  const size_t threads = RowCount(profile.trace.tables.threads);
  std::vector<std::vector<DurationNs>> selves(threads + 1);  // and of all threads
  for (size_t h = 0; h < host.start.size(); ++h) {
    if (host.kind[h] != HostKind::kOp || inner[h].count != 1 || !thin[host.name[h]]) continue;
    const DurationNs self = host.duration[h] - inner[h].time;
    selves[Index(host.thread[h])].push_back(self);
    selves.back().push_back(self);
  }
  std::vector<ProfilerCost> costs(threads);
  for (size_t t = 0; t < threads; ++t) {
    std::vector<DurationNs>& own = selves[t].size() < kEnough ? selves.back() : selves[t];
    if (own.size() < kEnough) continue;
    const auto middle = own.begin() + static_cast<ptrdiff_t>(own.size() / 2);
    std::nth_element(own.begin(), middle, own.end());
    const auto wrapper = static_cast<double>(*middle);
    costs[t].per_range = std::llround(kRangeCost * wrapper);
    costs[t].per_call = std::llround(kCallCost * wrapper);
  }
  return costs;
}

void RemoveProfilerCost(std::span<const ProfilerCost> cost_of_thread, StepGraph& graph) {
  const auto reduce = [](DurationNs& time, DurationNs cost) {
    const auto own = static_cast<DurationNs>(kOwnShare * static_cast<double>(time));
    time = std::max(own, time - cost);
  };
  for (CallNode& node : graph.calls) {
    const ProfilerCost& cost = cost_of_thread[Index(node.thread)];
    reduce(node.work, cost.per_range * node.host_ranges);
    reduce(node.call, cost.per_call);
  }
}

void KeepAheadOfGpu(StepGraph& graph) {
  double gpu = 0;
  for (const TaskNode& task : graph.tasks) gpu += static_cast<double>(task.duration);
  gpu /= static_cast<double>(std::max<int64_t>(1, graph.iterations));
  const auto now = static_cast<double>(ReplayStep(graph));
  if (static_cast<double>(graph.backlog) < kAhead * gpu || gpu < kBusy * now) return;
  const auto scaled = [&](double factor) {
    StepGraph copy = graph;
    for (CallNode& node : copy.calls) {
      for (DurationNs* time : {&node.work, &node.call, &node.handover_delay}) {
        *time = static_cast<DurationNs>(factor * static_cast<double>(*time));
      }
    }
    return copy;
  };
  const DurationNs limit = ReplayStep(scaled(kLeastCpu));
  // The largest share with which the GPU still limits the step.
  int low = 0;
  int high = kSteps;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    const double factor = kLeastCpu + (1 - kLeastCpu) * middle / kSteps;
    const bool gpu_limits =
        static_cast<double>(ReplayStep(scaled(factor))) <= kSame * static_cast<double>(limit);
    (gpu_limits ? low : high) = gpu_limits ? middle : middle - 1;
  }
  graph = scaled(kLeastCpu + (1 - kLeastCpu) * low / kSteps);
}

}  // namespace warpsight
