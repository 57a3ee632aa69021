#pragma once

#include <functional>
#include <vector>

#include "analysis/roofline/op_cost.h"
#include "model/profile.h"

namespace warpsight {

// A kernel that a CUDA graph replayed, and the call of the same op whose cost it shares.
struct CapturedCost {
  GpuId gpu;
  HostId call;      // of the op, outside of a graph
  float share = 0;  // of its cost; 0 for kernels that only help
};

// Kernels of a graph have no call of an op with its inputs, but `warpsight profile` records the op
// and the module in which each was captured. Where that op also ran outside of a graph, for the
// warm-up before the capture, and its calls in that module, the captured ones among them, all have
// the same inputs, the graph's kernels cost what that one did. `cost_of` answers for a row of
// host_ranges.
std::vector<CapturedCost> FindCapturedCosts(ProfileView profile,
                                            const std::function<OpCost(HostId)>& cost_of);

}  // namespace warpsight
