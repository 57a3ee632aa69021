#pragma once

#include "model/trace.h"

namespace warpsight {

// Bytes per second of a copy or memset: the figure that the profiler recorded with it, else its
// bytes over its duration. PyTorch computes the recorded one from nanoseconds and, in older
// versions, then writes the duration in whole microseconds. kMissingReal where neither is known.
double CopyRate(const Trace& trace, GpuId gpu);

}  // namespace warpsight
