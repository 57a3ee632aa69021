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
  kStart,     // the words stand at the beginning of the qualified function name
};

// One row of the kernel table. A row applies to a name whose `part` contains one of the `words`
// (literals separated by spaces, compared case-sensitively) and, where there is a `regex`, in which
// that RE2 expression finds a match too. The expression reads the long name from the function name
// on: `^` is the beginning of the function name, and template arguments can be matched.
//
// A row states what it knows and leaves the rest unknown. The table is read from the top and the
// first row that states a fact decides it, so the library, the family and the Tensor Core answer
// of one kernel may come from three rows. The Tensor Core answer of a row that names a family holds
// for that family: it is not taken for a kernel that an earlier row put into another one.
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
