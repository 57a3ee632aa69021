#pragma once

#include <string>
#include <string_view>

#include "model/kernel_kind.h"

namespace warpsight {

// The class of a GPU kernel according to its name: its library, the kind of work, the number
// format, and whether it runs on Tensor Cores (matrix cores on AMD). The name is the only evidence
// used here. Facts that a name does not determine are `kUnknown`, never guessed: other evidence
// (hardware counters, achieved FLOP rates, the operator that launched the kernel) can fill the gap
// later. docs/kernel-classes.md has the measured agreement with hardware counters.

using TensorCoreUse = TensorCores;

struct KernelClass : KernelKind {
  // One short sentence, static text: the reason for the Tensor Core classification or, if that is
  // unknown, for the family.
  std::string_view reason;
};

// Classifies a kernel by its long name, mangled or demangled by any demangler. Takes a few
// microseconds, so call it once per distinct name. Pure; may be called from any thread.
KernelClass ClassifyKernel(std::string_view recorded_name);

// The name without return type, namespaces and classes, template arguments and parameters: `void
// at::native::(anonymous namespace)::f<int>(int)` becomes `f`. This is the short name in Nsight
// Systems and in DLProf's reports.
std::string ShortKernelName(std::string_view long_name);

}  // namespace warpsight
