#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "analysis/whatif/cpu_times.h"
#include "analysis/whatif/profiler_cost.h"
#include "analysis/whatif/replay.h"

namespace warpsight {

class Scenario;

// Whether the profiler's overhead is removed from the step.
enum class Recording : uint8_t { kWithoutProfiler, kAsRecorded };

// The step of a profile as recorded, as replayed, and without the profiler: the baseline of
// scenarios. Refers to the profile, which must outlive it.
class WhatIf {
 public:
  WhatIf(ProfileView profile, const RangeSummary& range,
         Recording recording = Recording::kWithoutProfiler);

  // Whether there is anything to replay: a trace without GPU work has no graph.
  bool empty() const { return graphs_.empty(); }
  DurationNs measured_step() const { return measured_step_; }
  DurationNs replayed_step() const { return replayed_step_; }
  // Without the profiler, unless it was to be kept; then no longer than the measured one. All
  // predictions are relative to this one.
  DurationNs step() const { return step_; }
  // Iterations of all sources together, at least 1: totals over it are per step of one rank.
  int64_t steps() const { return std::max<int64_t>(1, steps_); }
  // Of the graph that takes longest.
  Replay CurrentReplay() const { return ReplayOf(graphs_); }

  Scenario Edit() const;
  // The step after an edit.
  DurationNs StepAfter(const std::function<void(Scenario&)>& edit) const;

  // Graphs without the profiler's cost.
  std::span<const StepGraph> graphs() const { return graphs_; }
  ProfileView profile() const { return profile_; }

 private:
  friend class Scenario;
  // The step of these graphs in time of the recording, from their replay.
  DurationNs Calibrated(DurationNs replayed, std::span<const StepGraph> graphs) const;
  DurationNs StepOf(std::span<const StepGraph> graphs) const;
  Replay ReplayOf(std::span<const StepGraph> graphs) const;

  struct Place {
    uint32_t graph = kNoNode;
    uint32_t node = kNoNode;
  };
  void IndexNodes();

  ProfileView profile_;
  std::vector<StepGraph> graphs_;
  std::vector<Place> task_of_gpu_;  // by row of gpu_activities
  std::vector<Place> call_of_api_;  // by row of api_calls: the first of its nodes
  DurationNs measured_step_ = 0;
  DurationNs replayed_step_ = 0;
  DurationNs step_ = 0;
  double calibration_ = 1;  // measured / replayed where a steady replay takes longer
  int64_t steps_ = 0;
};

// An editable copy of the step. Rows outside the aggregated iterations have no effect.
class Scenario {
 public:
  explicit Scenario(const WhatIf& base) : base_(base), graphs_(base.graphs_) {}

  // Reverts all changes.
  void Reset() { graphs_ = base_.graphs_; }

  // GPU work.
  void SetDuration(GpuId gpu, DurationNs duration);
  void Scale(GpuId gpu, double factor);
  // Takes the work out. Its launch stays; see RemoveCall.
  void Remove(GpuId gpu);
  // The work runs on a stream of its own, in the given order, and nothing waits for it: as copies
  // do that fetch the next batch, and collectives that overlap with compute.
  void MoveToOwnStream(std::span<const GpuId> work);
  DurationNs DurationOf(GpuId gpu) const;

  // CPU work. Takes out the given times, with the calls made in them.
  void RemoveCpuTime(const CpuTimes& times);
  // Keeps this share of the CPU work in the given times, and of the calls made in them.
  void ScaleCpuTime(const CpuTimes& times, double factor);
  // Removes ops: their CPU time, their calls and the GPU work launched by these.
  void RemoveOps(std::span<const HostId> ops);
  // Removes a call, but not the CPU work before it or the work it launched.
  void RemoveCall(ApiId api);
  // The call takes no time, but still waits where it did.
  void FreeCall(ApiId api);
  // The call no longer waits for the GPU.
  void DropWait(ApiId api);
  // The host no longer waits where it waited without a call.
  void DropWaitsWithoutCall();
  // The call only starts its work, as a launch does, and does not wait for it.
  void MakeAsynchronous(ApiId api);
  // Adds CPU time before a call, for instance that of a replacement.
  void AddCpuTime(ApiId before, DurationNs time);
  // All GPU work of an iteration is started by one call, as a CUDA graph does: of the CPU time only
  // that in `kept` is left, and `launch` per iteration; kernels follow each other at `gap`. Calls
  // do not wait any more, except those in `waits`; waits without a call stay.
  void LaunchAsGraph(DurationNs launch, DurationNs gap, const CpuTimes& kept,
                     std::span<const ApiId> waits);

  DurationNs Step() const { return base_.StepOf(graphs_); }
  Replay Run() const { return base_.ReplayOf(graphs_); }
  const WhatIf& base() const { return base_; }

 private:
  TaskNode* Task(GpuId gpu);
  CallNode* Call(ApiId api);

  const WhatIf& base_;
  std::vector<StepGraph> graphs_;
};

}  // namespace warpsight
