#pragma once

#include <functional>
#include <vector>

#include "analysis/roofline/op_cost.h"
#include "model/profile.h"

namespace warpsight {

// A kernel that a CUDA graph replayed, and the call of the same op whose cost it shares.
struct CapturedCost {
  GpuId gpu;
  HostId call;      // of the op, outside a graph
  float share = 0;  // of its cost; 0 for kernels that only help
};

// Kernels of a graph have no enclosing op call with inputs, but `warpsight profile` records the op
// and the module in which each was captured. If that op also ran outside the graph, in the warm-up
// before the capture, and all its calls in that module, including the captured ones, have the same
// inputs, the graph's kernels get the cost of that run. `cost_of` answers for a row of host_ranges.
std::vector<CapturedCost> FindCapturedCosts(ProfileView profile,
                                            const std::function<OpCost(HostId)>& cost_of);

}  // namespace warpsight
