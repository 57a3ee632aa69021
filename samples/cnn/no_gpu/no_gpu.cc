#include <string>
#include <vector>

#include "gpu.h"

namespace cnn {

std::string WhyNotBuilt(const std::string&) { return "no nvcc"; }

std::string GpuName() { throw NoGpu("built without nvcc"); }

ForwardResult ForwardOnGpu(const std::string&, const Weights&, const float*, int, const GpuRun&) {
  throw NoGpu("built without nvcc");
}

std::vector<float> ConvolveOnGpu(const std::string&, const ConvShape&, const std::vector<float>&,
                                 const std::vector<float>&) {
  throw NoGpu("built without nvcc");
}

}  // namespace cnn
