#pragma once

#include "model/trace.h"

namespace warpsight {

// Bytes per second of a copy or memset: the figure that the profiler recorded, otherwise bytes /
// duration. PyTorch computes it from nanoseconds, and older versions then write the duration in
// whole microseconds. kMissingReal if neither is known.
double CopyRate(const Trace& trace, GpuId gpu);

}  // namespace warpsight
