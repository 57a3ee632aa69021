#include "variants.h"

namespace cnn {

const std::vector<Variant>& Variants() {
  constexpr double kSingle = 1e-4;
  constexpr double kHalf = 1e-2;
  static const std::vector<Variant> variants = {
      {"cpu", "loops on one CPU core", false, 0, true},
      {"naive", "one thread per output, all from global memory", true, kSingle, true},
      {"tiled", "input and weights staged in shared memory", true, kSingle, true},
      {"im2col", "unrolled input in memory, then a matrix product", true, kSingle, true},
      {"fused", "matrix product that unrolls as it loads", true, kSingle, true},
      {"tensor", "the same on Tensor Cores, half precision", true, kHalf, true},
      {"cublas", "unrolled input, product by cuBLAS, for comparison", true, kSingle, true},
      {"cudnn", "convolution by cuDNN (TF32), for comparison", true, kHalf, false},
  };
  return variants;
}

const Variant* FindVariant(const std::string& name) {
  for (const Variant& variant : Variants()) {
    if (variant.name == name) return &variant;
  }
  return nullptr;
}

}  // namespace cnn
