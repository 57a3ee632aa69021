#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/iterations/gpu_groups.h"
#include "analysis/whatif/cpu_times.h"
#include "analysis/whatif/step_graph.h"

namespace warpsight {

// Counts for every call the host ranges that were recorded in its CPU work. `thread_calls` are the
// calls of each thread in order, `graphs` by group.
void CountHostRanges(const Trace& trace, std::span<const std::vector<uint32_t>> thread_calls,
                     const GpuGroups& groups, std::span<StepGraph> graphs);

// When threads that start GPU work were in framework ops or API calls, by row of threads.
CpuTimes ActiveTimes(const Trace& trace, const std::vector<bool>& launching);

// Finds where a thread was idle because another thread of its process worked for it, such as the
// main thread while the autograd thread runs the backward pass, or vice versa, and links the first
// call after such a pause to the other thread's last call before it.
void FindHandovers(const Trace& trace, const CpuTimes& active,
                   std::span<const std::vector<uint32_t>> thread_calls, const GpuGroups& groups,
                   std::span<StepGraph> graphs);

}  // namespace warpsight
