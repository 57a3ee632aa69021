#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "analysis/kernels/kernel_class.h"

namespace warpsight {

// The part of a kernel's name that a pattern is matched against. `void ` and a returned
// `std::enable_if<…>::type` belong to no part.
enum class NamePart : uint8_t {
  kWhole,     // the whole long name, template arguments and parameters included
  kFunction,  // the qualified function name alone
  kStart,     // the words must be at the beginning of the qualified function name
};

// One row of the kernel table. A row applies to a name if its `part` contains one of the `words`
// (literals separated by spaces, case-sensitive) and, if there is a `regex`, this RE2 expression
// also matches. The expression is applied to the long name from the function name on: `^` is the
// beginning of the function name, and template arguments can be matched.
//
// A row states some facts and leaves the others unknown. The table is read from the top, and the
// first row that states a fact decides it, so the library, the family and the Tensor Core use of
// one kernel may come from three rows. If a row names a family, its Tensor Core use applies only to
// kernels of that family.
struct KernelPattern {
  NamePart part;
  std::string_view words;
  std::string_view regex;
  KernelLibrary library;
  KernelFamily family;
  TensorCoreUse tensor_cores;
  std::string_view reason;
};

// The ordered table. Static data; any thread may read it.
std::span<const KernelPattern> KernelPatterns();

}  // namespace warpsight
