#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "conv_shape.h"
#include "network.h"

// The interface of the GPU code. It is implemented by gpu/ if nvcc was found, and by no_gpu/
// otherwise.
namespace cnn {

// No GPU, no driver, or a driver that is too old; the message is that of the CUDA runtime.
class NoGpu : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Why the program does not contain the variant; empty if it does.
std::string WhyNotBuilt(const std::string& variant);

// The name of the first GPU. Throws NoGpu.
std::string GpuName();

struct GpuRun {
  int batch;   // images per batch
  int repeat;  // timed passes over all images, after an untimed one
};

// Runs the network on `count` images with the given convolution. Throws std::exception.
ForwardResult ForwardOnGpu(const std::string& variant, const Weights& weights, const float* images,
                           int count, const GpuRun& run);

// Runs one convolution, for tests. Also checks that nothing was written past the output.
std::vector<float> ConvolveOnGpu(const std::string& variant, const ConvShape& shape,
                                 const std::vector<float>& input,
                                 const std::vector<float>& weights);

}  // namespace cnn
