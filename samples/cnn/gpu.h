#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "conv_shape.h"
#include "network.h"

// What the rest of the program knows of the GPU. Implemented by gpu/ where nvcc is at hand and by
// no_gpu/ elsewhere.
namespace cnn {

// No GPU, no driver, or a driver that is too old: what the CUDA runtime says.
class NoGpu : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Why the variant of this name is not in this program; empty where it is.
std::string WhyNotBuilt(const std::string& variant);

// Name of the first GPU. Throws NoGpu.
std::string GpuName();

struct GpuRun {
  int batch;   // images at a time
  int repeat;  // timed passes over all images, after an untimed one
};

// The network over `count` images with the convolution of that name. Throws std::exception.
ForwardResult ForwardOnGpu(const std::string& variant, const Weights& weights, const float* images,
                           int count, const GpuRun& run);

// One convolution, for tests. Also checks that nothing was written behind the output.
std::vector<float> ConvolveOnGpu(const std::string& variant, const ConvShape& shape,
                                 const std::vector<float>& input,
                                 const std::vector<float>& weights);

}  // namespace cnn
