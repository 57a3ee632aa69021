#pragma once

#include "analysis/testing/hand_made_profile.h"

namespace warpsight {

// A forward and a backward pass in iterations 0 and 1.
inline HandMadeProfile TwoSteps() {
  HandMadeProfile profile(2);
  for (const TimeNs t : {0, 1000}) {
    const HostId linear = profile.Op("aten::linear", t + 100, 100);
    profile.Path(linear, "Model/fc1");
    const HostId addmm = profile.Op("aten::addmm", t + 110, 60, Direction::kForward, linear);
    const HostId relu = profile.Op("aten::relu", t + 210, 40);
    profile.Path(relu, "Model");
    const HostId mm = profile.Op("aten::mm", t + 300, 50, Direction::kBackward);
    const ApiId launch1 = profile.Api("cudaLaunchKernel", t + 120, 10, addmm);
    const ApiId launch2 = profile.Api("cudaLaunchKernel", t + 125, 15, addmm);
    const ApiId launch3 = profile.Api("cudaLaunchKernel", t + 220, 10, relu);
    const ApiId launch4 = profile.Api("cudaLaunchKernel", t + 310, 10, mm);
    const ApiId copy = profile.Api("cudaMemcpyAsync", t + 400, 30);
    const ApiId graph = profile.Api("cudaGraphLaunch", t + 500, 20);
    profile.Kernel("split", t + 200, 50, launch1);
    profile.Kernel("gemm", t + 230, 100, launch2, TensorCores::kYes);
    profile.Kernel("relu_kernel", t + 350, 20, launch3);
    profile.Kernel("gemm", t + 380, 80, launch4, TensorCores::kYes);
    profile.Copy("Memcpy HtoD", t + 470, 10, copy);
    profile.Kernel("node1", t + 520, 10, graph);
    profile.Kernel("node2", t + 540, 10, graph);
    profile.Kernel("stray", t + 560, 5);
  }
  return profile;
}

}  // namespace warpsight
