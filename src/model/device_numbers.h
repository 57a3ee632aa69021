#pragma once

#include <span>

#include "model/trace_builder.h"

namespace warpsight {

// Some profilers number GPUs in two ways: ROCm's list of GPUs counts from 0, while its kernels
// carry the number of an agent, CPUs included. Such a GPU would appear twice in the trace: once
// with a name but without work, and once with work but without a name. If a file has GPU work on
// undescribed numbers, and describes GPUs without work that are all of one kind, or as many as
// there are such numbers, the descriptions get the numbers of the work.
void UnifyDeviceNumbers(std::span<TracePart> parts);

}  // namespace warpsight
