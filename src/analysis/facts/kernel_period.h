#pragma once

#include <cstddef>
#include <span>

#include "model/ids.h"

namespace warpsight {

// How often a sequence of kernels repeats.
struct KernelPeriod {
  size_t length = 0;  // kernels per repetition; 0: it does not repeat
  size_t offset = 0;  // first kernel of the first whole repetition
  size_t count = 0;   // whole repetitions
};

// Finds the repetition in kernel names in launch order: the shortest length at which nearly every
// kernel equals the one a repetition later. Layers that repeat inside an iteration do not qualify,
// because what stands before and after them breaks their rhythm.
KernelPeriod FindKernelPeriod(std::span<const StringId> names);

}  // namespace warpsight
