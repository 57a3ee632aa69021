#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/kernels/kernel_class.h"
#include "model/facts.h"
#include "model/trace.h"

namespace warpsight {

// Facts about a kernel that its launches determine if its name does not.
struct LaunchEvidence {
  TensorCoreUse tensor_cores = TensorCoreUse::kUnknown;
  Precision precision = Precision::kUnknown;
  bool collective = false;  // the profiler recorded a collective with it
  std::string reason;       // the reason for the Tensor Core use
};

// Completes the classification of kernel names by their launches. Triton and XLA's Triton kernels
// compile every product of tiles to matrix instructions if the GPU has some for its format:
//   NVIDIA from compute capability 8.0 on   operands of 16 bits or fewer (fp32 may go either way),
//   AMD with matrix cores (CDNA)            all.
// The operands' formats come from the program that XLA compiled, or from the inputs of the op that
// launched the kernel. A fusion of XLA's without a product in it uses no Tensor Cores.
// Needs correlation.
std::vector<LaunchEvidence> CollectLaunchEvidence(const Trace& trace, const FactTables& facts,
                                                  std::span<const StringId> names,
                                                  std::span<const KernelKind> kinds);

}  // namespace warpsight
