#pragma once

#include <vector>

#include "base/intervals.h"
#include "model/profile.h"

namespace warpsight {

// Fills gpu_windows, the window of every iteration on every GPU of its source that did any work,
// and the windows of iterations, which all other code uses for iteration times.
//
// A window begins where the one before it ended on this GPU, the first with the iteration on the
// CPU or, where the GPU was still busy with work from before the iterations, with the end of that
// work. It ends with the last work that the iteration launched on this GPU, or where the next
// iteration begins on the CPU (the last iteration: where it ends there) if that is later. So the
// windows of one GPU are contiguous, contain the work of their iterations and sum to the time from
// the first to the last. With contiguous step markers, these are the steps of PyTorch's TensorBoard
// plugin.
//
// Streams of one GPU may work on two iterations at the same time. Such moments belong to the window
// of the earlier one, unless its work continues until the end of the later one's, which does not
// end a window. A recording without iterations is one window.
//
// Where a clean stretch follows an iteration, its window ends with its work, and the next one
// starts afresh: no window contains times of which nothing is known about the GPU
// (clean_stretches.h).
//
// The window of an iteration in its process ends with the last of its windows on GPUs.
//
// Needs the iterations and the iteration of each row. `whole`, by source: its only iteration is the
// whole recording, with work from before it.
void FindWindows(const Trace& trace, const std::vector<bool>& whole, FactTables& facts);

// The windows on each GPU by the iteration's number within its source; empty for a GPU without
// work.
std::vector<std::vector<Interval>> WindowsByGpu(ProfileView profile);

// The part of an iteration's window (row of iterations) without the pause until the next one begins
// on the CPU; the last one has no known pause.
DurationNs WorkedTime(const IterationsTable& iterations, size_t iteration, Interval window);

// The duration of every iteration (row of iterations): the work in its window on the GPU that took
// longest; the time on the CPU if no GPU of its source worked.
std::vector<DurationNs> IterationLengths(const FactTables& facts);

}  // namespace warpsight
