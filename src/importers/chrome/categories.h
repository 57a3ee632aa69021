#pragma once

#include <string_view>

#include "model/tables.h"

namespace warpsight::importers::chrome {

// Which table a complete ('X') event of a category belongs to.
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

// Annotations that old writers filed under ops: ProfilerStep#3, Optimizer.step#Adam.step, ...
bool IsAnnotationName(std::string_view name);

}  // namespace warpsight::importers::chrome
