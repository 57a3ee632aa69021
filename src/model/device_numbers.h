#pragma once

#include <span>

#include "model/trace_builder.h"

namespace warpsight {

// Some profilers number GPUs in two ways: ROCm's list of GPUs counts from 0, while its kernels
// carry the number of an agent, CPUs included. Such a GPU would stand in the trace twice: once with
// a name and without work, once the other way round.
//
// Where a file has GPU work on numbers that it does not describe, and describes GPUs without work
// that are all of one kind, or as many as there are such numbers, the descriptions get the numbers
// of the work.
void UnifyDeviceNumbers(std::span<TracePart> parts);

}  // namespace warpsight
