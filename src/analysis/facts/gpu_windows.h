#pragma once

#include <vector>

#include "base/intervals.h"
#include "model/profile.h"

namespace warpsight {

// The window of every iteration on every GPU of its source: by device, then by the iteration's
// number within its source. Empty for a device without any GPU work.
//
// A window begins where the one before it ended on this GPU, the first with the iteration on the
// CPU or, where the GPU was still busy with work from before the iterations, with the end of that
// work. It ends with the last work that the iteration launched on this GPU, or where the next
// iteration begins on the CPU (the last iteration: where it ends there) if that is later. So the
// windows of one GPU touch, hold the work of their iterations and sum to the time from the first
// to the last. With step markers that touch, these are the steps of PyTorch's TensorBoard plugin.
//
// GPUs of one source that work on an iteration one after the other, each launched by threads of its
// own, are ranks by themselves: for each, the iteration lasts on the CPU from the first to the last
// event of its threads.
//
// Streams of one GPU may work on two iterations at the same time. Such moments belong to the
// window of the earlier one, unless its work runs on to the end of the later one's: that ends no
// window. A recording without iterations is one window.
//
// Needs the iterations and the iteration of each GPU activity.
std::vector<std::vector<Interval>> ComputeGpuWindows(ProfileView profile);

// How long every iteration (row of iterations) took: its window on the GPU that took longest for
// it, without the pause until the next iteration begins on the CPU; the time on the CPU where no
// GPU of its source worked.
std::vector<DurationNs> IterationLengths(ProfileView profile);

}  // namespace warpsight
