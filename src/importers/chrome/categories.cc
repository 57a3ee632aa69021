#include "importers/chrome/categories.h"

#include <array>
#include <utility>

namespace warpsight::importers::chrome {
namespace {

using Entry = std::pair<std::string_view, SliceKind>;

// The first block is what Kineto writes now, the second what it wrote before 1.11, and the third
// what other writers of Chrome traces use (MXNet, TensorFlow 1, ONNX Runtime).
constexpr std::array kCategories = {
    Entry{"cpu_op", SliceKind::kOp},
    Entry{"cuda_runtime", SliceKind::kRuntime},
    Entry{"kernel", SliceKind::kKernel},
    Entry{"cuda_driver", SliceKind::kDriver},
    Entry{"python_function", SliceKind::kPythonFunction},
    Entry{"gpu_memcpy", SliceKind::kCopy},
    Entry{"gpu_memset", SliceKind::kMemset},
    Entry{"user_annotation", SliceKind::kAnnotation},
    Entry{"gpu_user_annotation", SliceKind::kGpuAnnotation},
    Entry{"cuda_sync", SliceKind::kSync},
    Entry{"overhead", SliceKind::kOverhead},
    Entry{"Trace", SliceKind::kSpan},
    Entry{"system_call", SliceKind::kSystemCall},

    Entry{"Operator", SliceKind::kOp},
    Entry{"Runtime", SliceKind::kRuntime},
    Entry{"Kernel", SliceKind::kKernel},
    Entry{"Memcpy", SliceKind::kCopy},
    Entry{"Memset", SliceKind::kMemset},

    Entry{"operator", SliceKind::kOp},
    Entry{"Op", SliceKind::kOp},
    Entry{"Node", SliceKind::kOp},
    Entry{"Session", SliceKind::kAnnotation},
    Entry{"Api", SliceKind::kAnnotation},
};

}  // namespace

SliceKind SliceKindOf(std::string_view category) {
  for (const auto& [name, kind] : kCategories) {
    if (name == category) return kind;
  }
  // Back ends of other vendors use the suffixes with other prefixes: hip_runtime, xpu_runtime,
  // hip_driver, hip_sync.
  if (category.ends_with("_runtime")) return SliceKind::kRuntime;
  if (category.ends_with("_driver")) return SliceKind::kDriver;
  if (category.ends_with("_sync")) return SliceKind::kSync;
  return SliceKind::kOther;
}

}  // namespace warpsight::importers::chrome
