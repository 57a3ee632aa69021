#include <string>
#include <utility>

#include "gpu.h"
#include "gpu/conv_gpu.h"

namespace cnn {

MakeConvolution* FindConvolution(const std::string& variant) {
  constexpr std::pair<const char*, MakeConvolution*> kBuilt[] = {
      {"naive", MakeNaive},   {"tiled", MakeTiled},   {"im2col", MakeIm2col},
      {"fused", MakeFused},   {"tensor", MakeTensor},
#ifdef CNN_CUBLAS
      {"cublas", MakeCublas},
#endif
#ifdef CNN_CUDNN
      {"cudnn", MakeCudnn},
#endif
  };
  for (const auto& [name, make] : kBuilt) {
    if (variant == name) return make;
  }
  return nullptr;
}

std::string WhyNotBuilt(const std::string& variant) {
  return FindConvolution(variant) == nullptr ? "library not found" : "";
}

}  // namespace cnn
