#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/ids.h"

namespace warpsight {

// A length at which a sequence of kernels repeats.
struct KernelPeriod {
  size_t length = 0;      // kernels per repetition
  size_t offset = 0;      // first kernel of the first complete repetition
  size_t count = 0;       // complete repetitions, at least two
  size_t mismatches = 0;  // kernels that differ from the one a repetition later
  // Kernels of another kind occur before the first repetition, and after the last one either such
  // kernels or only the beginning of another repetition, but rarely in between: one pass through a
  // repeating structure, such as the layers of a model.
  bool framed = false;
};

// Finds the repetitions in kernel names in launch order, shortest first: lengths at which nearly
// every kernel equals the one a repetition later. An iteration of many equal layers has two
// periods, the layer and the iteration, which names alone cannot distinguish.
std::vector<KernelPeriod> FindKernelPeriods(std::span<const StringId> names);

}  // namespace warpsight
