#include "analysis/whatif/what_if.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/accounting/range_clean_steps.h"

namespace warpsight {
namespace {

// To make a replayed step as long as the measured one, at most so much of the estimated cost of
// recording is removed. Our choice: CPUs differ in speed, but hardly by more.
constexpr double kMostCost = 3;
constexpr int kBisections = 10;

Replay SlowestReplay(const Trace& trace, std::span<const StepGraph> graphs) {
  Replay slowest;
  for (const StepGraph& graph : graphs) {
    const Replay replay = ReplayGraph(trace, graph);
    if (replay.step > slowest.step) slowest = replay;
  }
  return slowest;
}

DurationNs Scaled(DurationNs time, double factor) {
  return std::llround(static_cast<double>(time) * factor);
}

}  // namespace

WhatIf::WhatIf(ProfileView profile, const RangeSummary& range, Recording recording)
    : profile_(profile),
      graphs_(BuildStepGraphs(profile, range)),
      measured_step_(range.average_iteration) {
  for (const StepGraph& graph : graphs_) {
    replayed_step_ = std::max(replayed_step_, ReplayAsMeasured(graph));
    steps_ += graph.iterations;
  }
  const bool without_profiler = recording == Recording::kWithoutProfiler;
  const std::optional<DurationNs> clean =
      without_profiler ? MeasuredCleanStep(profile.trace, range) : std::nullopt;
  const DurationNs steady = without_profiler ? RemoveRecording(clean) : ReplayStep(graphs_);
  if (clean) {
    CalibrateTo(*clean, steady);
  } else if (without_profiler && steady > measured_step_ && measured_step_ > 0) {
    // Without recording, a program is not slower than with it. But a steady replay may be, if the
    // recording was not steady: it has few steps and began with a full queue, or contains pauses
    // that the next round does not repeat. In that case, changes save their share of the measured
    // step.
    calibration_ = static_cast<double>(measured_step_) / static_cast<double>(steady);
  }
  step_ = Calibrated(steady, graphs_);
  IndexNodes();
}

DurationNs WhatIf::RemoveRecording(std::optional<DurationNs> clean) {
  const std::vector<ProfilerCost> cost = EstimateProfilerCost(profile_);
  const CpuTimes loading = DataLoadingTimes(profile_.trace);
  const std::vector<StepGraph> recorded = graphs_;
  const auto remove = [&](double share) {
    graphs_ = recorded;
    for (StepGraph& graph : graphs_) {
      RemoveProfilerCost(cost, share, loading, graph);
      KeepAheadOfGpu(graph);
    }
    return ReplayStep(graphs_);
  };
  const DurationNs estimated = remove(1);
  if (!clean || estimated == *clean) return estimated;
  // The step gets shorter with the share, but only down to the GPU's work.
  const bool more = estimated > *clean;
  const DurationNs extreme = remove(more ? kMostCost : 0);
  if (more && extreme >= *clean) return extreme;
  if (!more && extreme <= *clean) return remove(1);
  double low = more ? 1 : 0;
  double high = more ? kMostCost : 1;
  for (int i = 0; i < kBisections; ++i) {
    const double middle = (low + high) / 2;
    (remove(middle) > *clean ? low : high) = middle;
  }
  return remove(high);
}

void WhatIf::CalibrateTo(DurationNs clean, DurationNs steady) {
  if (steady <= 0) return;
  calibration_ = static_cast<double>(clean) / static_cast<double>(steady);
  for (const StepGraph& graph : graphs_) {
    const DurationNs busy = BusyTime(graph) / graph.iterations;
    if (busy <= clean) continue;
    busy_calibration_ =
        std::min(busy_calibration_, static_cast<double>(clean) / static_cast<double>(busy));
  }
}

void WhatIf::IndexNodes() {
  task_of_gpu_.resize(profile_.trace.tables.gpu.start.size());
  call_of_api_.resize(profile_.trace.tables.api.start.size());
  for (uint32_t g = 0; g < graphs_.size(); ++g) {
    for (uint32_t i = 0; i < graphs_[g].tasks.size(); ++i) {
      task_of_gpu_[Index(graphs_[g].tasks[i].gpu)] = {g, i};
    }
    // Iterates backward, so that the first node of a call is stored last.
    for (uint32_t i = static_cast<uint32_t>(graphs_[g].calls.size()); i-- > 0;) {
      const ApiId api = graphs_[g].calls[i].api;
      if (IsSet(api)) call_of_api_[Index(api)] = {g, i};
    }
  }
}

DurationNs WhatIf::Calibrated(DurationNs replayed, std::span<const StepGraph> graphs) const {
  if (calibration_ == 1) return replayed;
  // The busy time of GPUs was measured, so it is not calibrated like the rest.
  DurationNs step = Scaled(replayed, calibration_);
  for (const StepGraph& graph : graphs) {
    step = std::max(step, Scaled(BusyTime(graph) / graph.iterations, busy_calibration_));
  }
  return step;
}

DurationNs WhatIf::StepOf(std::span<const StepGraph> graphs) const {
  return Calibrated(ReplayStep(graphs), graphs);
}

Replay WhatIf::ReplayOf(std::span<const StepGraph> graphs) const {
  Replay replay = SlowestReplay(profile_.trace, graphs);
  if (calibration_ != 1) replay.Resize(Calibrated(replay.step, graphs));
  return replay;
}

Scenario WhatIf::Edit() const { return Scenario(*this); }

DurationNs WhatIf::StepAfter(const std::function<void(Scenario&)>& edit) const {
  Scenario scenario = Edit();
  edit(scenario);
  return scenario.Step();
}

TaskNode* Scenario::Task(GpuId gpu) {
  const WhatIf::Place place = base_.task_of_gpu_[Index(gpu)];
  return place.graph == kNoNode ? nullptr : &graphs_[place.graph].tasks[place.node];
}

CallNode* Scenario::Call(ApiId api) {
  const WhatIf::Place place = base_.call_of_api_[Index(api)];
  return place.graph == kNoNode ? nullptr : &graphs_[place.graph].calls[place.node];
}

namespace {

void Stretch(TaskNode& task, DurationNs duration) {
  task.exclusive = task.duration > 0
                       ? Scaled(task.exclusive,
                                static_cast<double>(duration) / static_cast<double>(task.duration))
                       : duration;
  task.duration = duration;
}

}  // namespace

void Scenario::SetDuration(GpuId gpu, DurationNs duration) {
  if (TaskNode* task = Task(gpu)) Stretch(*task, std::max<DurationNs>(0, duration));
}

void Scenario::Scale(GpuId gpu, double factor) {
  if (TaskNode* task = Task(gpu)) Stretch(*task, Scaled(task->duration, factor));
}

void Scenario::Remove(GpuId gpu) {
  if (TaskNode* task = Task(gpu)) task->removed = true;
}

void Scenario::MoveToOwnStream(std::span<const GpuId> work) {
  for (uint32_t g = 0; g < graphs_.size(); ++g) {
    std::vector<TaskNode>& tasks = graphs_[g].tasks;
    std::vector<bool> moved(tasks.size());
    std::vector<uint32_t> chain;
    for (const GpuId gpu : work) {
      const WhatIf::Place place = base_.task_of_gpu_[Index(gpu)];
      if (place.graph != g || moved[place.node]) continue;
      moved[place.node] = true;
      chain.push_back(place.node);
    }
    if (chain.empty()) continue;
    // The last task before this one on its stream that is not removed, or none.
    const auto staying = [&](uint32_t before) {
      for (size_t n = 0; n < chain.size() && before != kNoNode && moved[before]; ++n) {
        before = tasks[before].before;
      }
      return before != kNoNode && moved[before] ? kNoNode : before;
    };
    for (uint32_t t = 0; t < tasks.size(); ++t) {
      TaskNode& task = tasks[t];
      if (moved[t]) continue;
      if (task.before != kNoNode && moved[task.before]) {
        task.before = staying(task.before);
        task.gap = std::min(task.gap, graphs_[g].gap);
      }
      if (task.other != kNoNode && moved[task.other]) task.other = kNoNode;
    }
    for (size_t i = 0; i < chain.size(); ++i) {
      TaskNode& task = tasks[chain[i]];
      task.before = i > 0 ? chain[i - 1] : chain.back();
      task.other = kNoNode;
      task.gap = graphs_[g].gap;
      task.exclusive = 0;
    }
    for (CallNode& call : graphs_[g].calls) {
      if (call.wait_for != kNoNode && moved[call.wait_for]) call.wait_for = kNoNode;
    }
  }
}

DurationNs Scenario::DurationOf(GpuId gpu) const {
  const WhatIf::Place place = base_.task_of_gpu_[Index(gpu)];
  return place.graph == kNoNode ? 0 : graphs_[place.graph].tasks[place.node].duration;
}

void Scenario::RemoveCpuTime(const CpuTimes& times) { ScaleCpuTime(times, 0); }

void Scenario::ScaleCpuTime(const CpuTimes& times, double factor) {
  for (StepGraph& graph : graphs_) {
    for (CallNode& call : graph.calls) {
      const IntervalSet& own = times[Index(call.thread)];
      if (own.empty()) continue;
      const DurationNs inside = own.LengthWithin(call.measured);
      if (inside > 0) {
        const auto length = static_cast<double>(call.measured.end - call.measured.start);
        call.work = Scaled(call.work, 1 - static_cast<double>(inside) / length * (1 - factor));
      }
      // A call begins where the work before it ends.
      if (!IsSet(call.api) || !own.Contains(call.measured.end)) continue;
      call.call = Scaled(call.call, factor);
      if (factor == 0) call.wait_for = kNoNode;
    }
  }
}

void Scenario::RemoveOps(std::span<const HostId> ops) {
  const Trace& trace = base_.profile_.trace;
  const FactTables& facts = base_.profile_.facts;
  CpuTimesCollector collector(trace);
  for (const HostId op : ops) collector.AddRow(trace.tables.host, Index(op));
  const CpuTimes times = collector.Take();
  RemoveCpuTime(times);
  const ApiCallsTable& api = trace.tables.api;
  for (size_t g = 0; g < facts.gpu.api.size(); ++g) {
    const ApiId call = facts.gpu.api[g];
    if (!IsSet(call) || base_.task_of_gpu_[g].graph == kNoNode) continue;
    const IntervalSet& removed = times[Index(api.thread[Index(call)])];
    if (removed.Contains(api.start[Index(call)])) Remove(MakeId<GpuId>(g));
  }
}

void Scenario::RemoveCall(ApiId api) {
  FreeCall(api);
  DropWait(api);
}

void Scenario::FreeCall(ApiId api) {
  if (CallNode* call = Call(api)) call->call = 0;
}

void Scenario::DropWait(ApiId api) {
  const WhatIf::Place place = base_.call_of_api_[Index(api)];
  if (place.graph == kNoNode) return;
  std::vector<CallNode>& calls = graphs_[place.graph].calls;
  // A blocking copy has two nodes: the start of the copy, and the wait for it.
  for (uint32_t i = place.node; i < calls.size() && calls[i].api == api; ++i) {
    calls[i].wait_for = kNoNode;
  }
}

void Scenario::DropWaitsWithoutCall() {
  for (StepGraph& graph : graphs_) {
    for (CallNode& call : graph.calls) {
      if (call.resumed > 0) call.wait_for = kNoNode;
    }
  }
}

void Scenario::MakeAsynchronous(ApiId api) {
  const WhatIf::Place place = base_.call_of_api_[Index(api)];
  if (place.graph == kNoNode) return;
  CallNode& call = graphs_[place.graph].calls[place.node];
  call.call = std::min(call.call, graphs_[place.graph].launch_call);
  DropWait(api);
}

void Scenario::AddCpuTime(ApiId before, DurationNs time) {
  if (CallNode* call = Call(before)) call->work += time;
}

void Scenario::LaunchAsGraph(DurationNs launch, DurationNs gap, const CpuTimes& kept,
                             std::span<const ApiId> waits) {
  std::vector<bool> keeps_waiting(base_.call_of_api_.size());
  for (const ApiId call : waits) keeps_waiting[Index(call)] = true;
  for (StepGraph& graph : graphs_) {
    DurationNs left = launch * graph.iterations;
    for (CallNode& call : graph.calls) {
      const DurationNs stays = kept[Index(call.thread)].LengthWithin(call.measured);
      call.work = std::min(call.work, stays) + std::exchange(left, 0);
      call.call = call.handover_delay = 0;
      const bool keeps = IsSet(call.api) ? keeps_waiting[Index(call.api)] : call.resumed > 0;
      if (!keeps) call.wait_for = kNoNode;
    }
    for (TaskNode& task : graph.tasks) {
      task.launch_delay = 0;
      task.gap = std::min(task.gap, gap);
      if (task.other != kNoNode) task.other_delay = std::min(task.other_delay, gap);
    }
  }
}

}  // namespace warpsight
