#pragma once

#include <vector>

#include "base/intervals.h"
#include "model/trace.h"

namespace warpsight {

// Times of CPU threads, by row of threads.
using CpuTimes = std::vector<IntervalSet>;

// When threads were fetching batches from a DataLoader.
CpuTimes DataLoadingTimes(const Trace& trace);

}  // namespace warpsight
