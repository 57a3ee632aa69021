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
  // One short sentence, static text: why the kernel got its Tensor Core answer, or its family when
  // that answer is unknown.
  std::string_view reason;
};

// Classifies a kernel by its long name: demangled by any demangler, or mangled. Takes a few
// microseconds: call it once per distinct name. Pure; any thread may call it.
KernelClass ClassifyKernel(std::string_view recorded_name);

// The name without return type, namespaces and classes, template arguments and parameters: `void
// at::native::(anonymous namespace)::f<int>(int)` is `f`. The short name of Nsight Systems and of
// DLProf's reports.
std::string ShortKernelName(std::string_view long_name);

}  // namespace warpsight
