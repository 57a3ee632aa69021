#include "analysis/whatif/profiler_cost.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "analysis/facts/range_names.h"
#include "analysis/whatif/replay.h"
#include "base/statistics.h"

namespace warpsight {
namespace {

// An op that only calls another one takes slightly longer than recording the other one: this
// measures how fast the CPU was. In this unit, recording an op costs 0.4 and recording a CUDA call
// 1. In addition, everything else on a recorded thread takes 1.25 times as long. With these
// corrections, half of 36 CPU-bound workloads, timed with and without torch.profiler on an H200,
// are within 14 %.
constexpr double kRangeCost = 0.4;
constexpr double kCallCost = 1.0;
constexpr double kUnprofiledShare = 0.8;
// At least this share of CPU work remains, however many records it contains.
constexpr double kOwnShare = 0.25;
constexpr size_t kEnough = 20;

// For recordings of `warpsight profile`: docs/overhead.md.
constexpr ProfilerCost kOwnRecording = {.per_range = 800, .per_call = 2300, .undisturbed = 1};

// The length of the queue at the start of the range, in steps of GPU work, that shows that the CPU
// ran ahead: a step that waits for the GPU at its end leaves no queue, and a CPU-bound step only
// its last kernels. On 62 recorded workloads these two thresholds identify the GPU-bound ones.
constexpr double kAhead = 0.12;
constexpr double kBusy = 0.4;
// To get a queue of b steps within the few steps between the last synchronization and the recording
// (a profiler's schedule waits and warms up for two or three), the CPU must need at least b / 3 of
// a step less than the GPU. Its work is not reduced below the second share.
constexpr double kStepsBefore = 3;
constexpr double kMinCpu = 0.5;

bool IsOwnRecording(const Trace& trace, size_t thread) {
  const TraceTables& tables = trace.tables;
  const ProcessId process = tables.threads.process[thread];
  if (!IsSet(process) || !IsSet(tables.processes.source[Index(process)])) return false;
  const SourceId source = tables.processes.source[Index(process)];
  return trace.Text(tables.sources.format[Index(source)]) == "capture";
}

// Whether the op only calls one other op.
bool IsThinWrapper(std::string_view name) {
  constexpr std::array kNames = {"aten::t", "aten::transpose", "aten::detach", "aten::reshape",
                                 "aten::empty_like"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

}  // namespace

std::vector<ProfilerCost> EstimateProfilerCost(ProfileView profile) {
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
  std::vector<std::vector<DurationNs>> selves(threads + 1);  // one for all threads together
  for (size_t h = 0; h < host.start.size(); ++h) {
    if (host.kind[h] != HostKind::kOp || inner[h].count != 1 || !thin[host.name[h]]) continue;
    const DurationNs self = host.duration[h] - inner[h].time;
    selves[Index(host.thread[h])].push_back(self);
    selves.back().push_back(self);
  }
  std::vector<ProfilerCost> costs(threads);
  for (size_t t = 0; t < threads; ++t) {
    if (IsOwnRecording(profile.trace, t)) {
      costs[t] = kOwnRecording;
      continue;
    }
    std::vector<DurationNs>& own = selves[t].size() < kEnough ? selves.back() : selves[t];
    if (own.size() < kEnough) continue;
    const auto wrapper = static_cast<double>(UpperMedian(own));
    costs[t].per_range = std::llround(kRangeCost * wrapper);
    costs[t].per_call = std::llround(kCallCost * wrapper);
    costs[t].undisturbed = kUnprofiledShare;
  }
  return costs;
}

void RemoveProfilerCost(std::span<const ProfilerCost> cost_of_thread, double share,
                        const CpuTimes& loading, StepGraph& graph) {
  const auto reduce = [share](DurationNs& time, DurationNs untouched, DurationNs cost,
                              double undisturbed) {
    const auto own = static_cast<double>(std::max<DurationNs>(0, time - untouched));
    const double left = std::max(kOwnShare * own, own - share * static_cast<double>(cost));
    time = std::min(time, untouched) + static_cast<DurationNs>(undisturbed * left);
  };
  for (CallNode& node : graph.calls) {
    const ProfilerCost& cost = cost_of_thread[Index(node.thread)];
    if (cost.per_call == 0) continue;  // nothing was recorded that would slow it down
    reduce(node.work, loading[Index(node.thread)].LengthWithin(node.measured),
           cost.per_range * node.host_ranges, cost.undisturbed);
    reduce(node.call, 0, cost.per_call, cost.undisturbed);
    reduce(node.handover_delay, 0, 0, cost.undisturbed);
  }
}

void KeepAheadOfGpu(StepGraph& graph) {
  double gpu = 0;
  for (const TaskNode& task : graph.tasks) gpu += static_cast<double>(task.duration);
  gpu /= static_cast<double>(std::max<int64_t>(1, graph.iterations));
  const auto step = static_cast<double>(ReplayStep(graph));
  const double ahead = static_cast<double>(graph.backlog) / std::max(1.0, gpu);
  if (ahead < kAhead || gpu < kBusy * step) return;
  StepGraph cpu_alone = graph;
  for (TaskNode& task : cpu_alone.tasks) task.removed = true;
  const auto cpu = static_cast<double>(ReplayStep(cpu_alone));
  const double factor = gpu * std::max(kMinCpu, 1 - ahead / kStepsBefore) / std::max(1.0, cpu);
  if (factor >= 1) return;
  for (CallNode& node : graph.calls) {
    for (DurationNs* time : {&node.work, &node.call, &node.handover_delay}) {
      *time = static_cast<DurationNs>(factor * static_cast<double>(*time));
    }
  }
}

}  // namespace warpsight
