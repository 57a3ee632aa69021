#pragma once

#include <span>
#include <vector>

#include "analysis/whatif/cpu_times.h"
#include "analysis/whatif/step_graph.h"

namespace warpsight {

// The CPU cost of recording. A profiler that records framework ops from callbacks and CUDA calls
// through CUPTI slows down both, and also the surrounding code, whose caches it shares; GPU work
// runs at its usual speed. docs/whatif.md has the measurements behind the figures.
struct ProfilerCost {
  DurationNs per_range = 0;  // for every recorded op, annotation or Python frame
  DurationNs per_call = 0;   // for every recorded CUDA call
  double undisturbed = 1;    // what everything else would take, of what it took
};

// From how long ops took that do nothing but call another op: on a fast CPU recording is cheaper as
// well. By row of threads, since the thread of the backward pass is slower than a busy main thread.
// Our own recordings do not have these ops; what their records cost was measured. Zero for other
// traces without framework ops.
std::vector<ProfilerCost> EstimateProfilerCost(ProfileView profile);

// The graph as it would be without the profiler. Fetching batches (`loading`) makes few records.
void RemoveProfilerCost(std::span<const ProfilerCost> cost_of_thread, const CpuTimes& loading,
                        StepGraph& graph);

// If the GPU still had a large part of a step in its queue when the range began, the CPU had run
// ahead of it before recording slowed it down, so the step is GPU-bound without the profiler.
// Shortens CPU work until that is the case.
void KeepAheadOfGpu(StepGraph& graph);

}  // namespace warpsight
