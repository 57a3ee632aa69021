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
  double undisturbed = 1;    // the factor for everything else
};

// Estimates the cost from the times of ops that only call another op, since recording is cheaper on
// a fast CPU. By row of threads, since the thread of the backward pass is slower than a busy main
// thread. Our own recordings do not have such ops; for these, measured costs are used. Zero for
// other traces without framework ops.
std::vector<ProfilerCost> EstimateProfilerCost(ProfileView profile);

// Changes the graph to what it would be without the profiler. `share`: of the cost of records, to
// remove less or more than was estimated. Fetching batches (`loading`) is not corrected, since it
// creates few records.
void RemoveProfilerCost(std::span<const ProfilerCost> cost_of_thread, double share,
                        const CpuTimes& loading, StepGraph& graph);

// If the GPU still had a large part of a step in its queue when the range began, the CPU had run
// ahead of it before recording slowed the CPU down. So the step is GPU-bound without the profiler:
// shortens CPU work until that is the case.
void KeepAheadOfGpu(StepGraph& graph);

}  // namespace warpsight
