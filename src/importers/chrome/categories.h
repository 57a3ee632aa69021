#pragma once

#include <string_view>

#include "model/tables.h"

namespace warpsight::importers::chrome {

// The table to which a complete ('X') event of a category belongs.
enum class SliceKind {
  kOp,
  kAnnotation,
  kPythonFunction,
  kRuntime,
  kDriver,
  kKernel,
  kCopy,
  kMemset,
  kGpuAnnotation,
  kSync,
  kOverhead,
  kSpan,
  kSystemCall,
  kOther,
};

SliceKind SliceKindOf(std::string_view category);

}  // namespace warpsight::importers::chrome
