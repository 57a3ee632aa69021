#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
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

  // Whether there is nothing to replay, since the trace has no GPU work.
  bool empty() const { return graphs_.empty(); }
  DurationNs measured_step() const { return measured_step_; }
  DurationNs replayed_step() const { return replayed_step_; }
  // Without the profiler, unless its cost is kept: as measured in clean stretches if the recording
  // has them, otherwise estimated, and then no longer than the measured step. All predictions are
  // relative to this step.
  DurationNs step() const { return step_; }
  // The number of iterations of all sources, at least 1: dividing totals by it gives one step of
  // one rank.
  int64_t steps() const { return std::max<int64_t>(1, steps_); }
  // The replay of the graph that takes longest.
  Replay CurrentReplay() const { return ReplayOf(graphs_); }

  Scenario Edit() const;
  // The step after an edit.
  DurationNs StepAfter(const std::function<void(Scenario&)>& edit) const;

  // The graphs without the profiler's cost.
  std::span<const StepGraph> graphs() const { return graphs_; }
  ProfileView profile() const { return profile_; }

 private:
  friend class Scenario;
  // Removes the cost of recording from the graphs, and returns their step: the estimated cost, or
  // as much of it as makes the step take `clean`, if that was measured.
  DurationNs RemoveRecording(std::optional<DurationNs> clean);
  // Sets the time scale so that the graphs, whose replay takes `steady`, take `clean`.
  void CalibrateTo(DurationNs clean, DurationNs steady);
  // The step for these graphs on the recording's time scale, from the result of their replay.
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
  // Measured / replayed: if the step without the profiler was measured, or if a steady replay takes
  // longer than the recorded step.
  double calibration_ = 1;
  // The GPUs' busy time, which no step is shorter than, is measured: 1 unless it exceeds that step.
  double busy_calibration_ = 1;
  int64_t steps_ = 0;
};

// An editable copy of the step. Rows outside the aggregated iterations have no effect.
class Scenario {
 public:
  explicit Scenario(const WhatIf& base) : base_(base), graphs_(base.graphs_) {}

  // Reverts all changes.
  void Reset() { graphs_ = base_.graphs_; }

  // Edits of GPU work.
  void SetDuration(GpuId gpu, DurationNs duration);
  void Scale(GpuId gpu, double factor);
  // Removes the work. Its launch stays; see RemoveCall().
  void Remove(GpuId gpu);
  // Moves the work to a separate stream, in the given order, and lets nothing wait for it: like
  // copies that fetch the next batch, and collectives that overlap compute.
  void MoveToOwnStream(std::span<const GpuId> work);
  DurationNs DurationOf(GpuId gpu) const;

  // Edits of CPU work. Removes the given times, with the calls in them.
  void RemoveCpuTime(const CpuTimes& times);
  // Keeps this share of the CPU work in the given times, and of the calls in them.
  void ScaleCpuTime(const CpuTimes& times, double factor);
  // Removes ops: their CPU time, their calls and the GPU work launched by these.
  void RemoveOps(std::span<const HostId> ops);
  // Removes a call, but not the CPU work before it or the work it launched.
  void RemoveCall(ApiId api);
  // The call takes no time, but still waits as before.
  void FreeCall(ApiId api);
  // The call no longer waits for the GPU.
  void DropWait(ApiId api);
  // The host no longer waits in waits without a call.
  void DropWaitsWithoutCall();
  // The call only starts its work, like a launch, and does not wait for it.
  void MakeAsynchronous(ApiId api);
  // Adds CPU time before a call, for instance that of a replacement.
  void AddCpuTime(ApiId before, DurationNs time);
  // One call launches all GPU work of an iteration, as with a CUDA graph. Of the CPU time, only
  // that in `kept` remains, and `launch` per iteration; the gap between kernels is `gap`. Calls no
  // longer wait, except those in `waits`; waits without a call stay.
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
