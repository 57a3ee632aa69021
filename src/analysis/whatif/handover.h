#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/iterations/gpu_groups.h"
#include "analysis/whatif/cpu_times.h"
#include "analysis/whatif/step_graph.h"

namespace warpsight {

// Counts the host ranges recorded in the CPU work of every call. `thread_calls` are the calls of
// each thread in order; `graphs` are ordered by group.
void CountHostRanges(const Trace& trace, std::span<const std::vector<uint32_t>> thread_calls,
                     const GpuGroups& groups, std::span<StepGraph> graphs);

// By row of threads: the times in which threads that launch GPU work were in framework ops or API
// calls.
CpuTimes ActiveTimes(const Trace& trace, const std::vector<bool>& launching);

// Finds where a thread was idle because another thread of its process worked for it, such as the
// main thread while the autograd thread runs the backward pass, or vice versa, and links the first
// call after such a pause to the other thread's last call before it.
void FindHandovers(const Trace& trace, const CpuTimes& active,
                   std::span<const std::vector<uint32_t>> thread_calls, const GpuGroups& groups,
                   std::span<StepGraph> graphs);

}  // namespace warpsight
