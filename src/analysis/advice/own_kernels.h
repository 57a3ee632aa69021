#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/advice/rule.h"
#include "analysis/roofline/occupancy.h"

namespace warpsight {

// The launches of one kernel with one launch configuration, if the user can change it: user-written
// kernels in CUDA C++, CUTLASS or Triton, not those of NVIDIA's libraries or of PyTorch.
struct OwnKernel {
  StringId name{};
  LaunchShape launch;
  GpuLimits limits;
  KernelLibrary library = KernelLibrary::kUnknown;
  std::vector<GpuId> instances;
  DurationNs time = 0;

  bool by_inductor = false;  // torch.compile wrote it, and chose its launch configuration
};

struct OwnKernels {
  std::vector<OwnKernel> hot;  // the longest first
  // Why the list may be incomplete: a reason to skip a rule that finds nothing.
  std::optional<Skipped> skipped;
};

// Finds those that take at least this share of the GPUs' time in the aggregated iterations. For
// smaller ones, even doubling the speed of the kernel saves less than the display threshold.
inline constexpr double kHotKernel = 0.05;
OwnKernels FindHotOwnKernels(const RuleInput& input);

// Text for evidence: "my_kernel: grid [24, 1, 1], block [256, 1, 1] on 132 multiprocessors".
Evidence Describe(const RuleInput& input, const OwnKernel& kernel);

// The advice for an unsuitable launch configuration, by the origin of the kernel.
std::string LaunchAdvice(const std::vector<const OwnKernel*>& kernels);

}  // namespace warpsight
