#pragma once

#include <functional>
#include <vector>

#include "analysis/roofline/op_cost.h"
#include "model/profile.h"

namespace warpsight {

// For a kernel replayed by a CUDA graph: the call of the same op from which it gets its cost.
struct CapturedCost {
  GpuId gpu;
  HostId call;      // a call of the op outside the graph
  float share = 0;  // its share of that cost; 0 for helper kernels
};

// Kernels of a graph have no enclosing op call with inputs, but `warpsight profile` records the op
// and the module in which each was captured. If that op also ran outside the graph, in the warm-up
// before the capture, and all its calls in that module, including the captured ones, have the same
// inputs, the graph's kernels get the cost of that run. `cost_of` returns the cost of a row of
// host_ranges.
std::vector<CapturedCost> FindCapturedCosts(ProfileView profile,
                                            const std::function<OpCost(HostId)>& cost_of);

}  // namespace warpsight
