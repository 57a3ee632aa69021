#pragma once

#include <memory>
#include <string>
#include <vector>

#include "conv_shape.h"

namespace cnn {

// One convolution on the GPU with its weights, in the variant's layout, and its scratch memory.
// Both are created once, so that Run only launches kernels.
class Convolution {
 public:
  virtual ~Convolution() = default;

  // Convolves the first `images` images of the shape. Both pointers are to GPU memory in NCHW
  // order; does not wait for the GPU.
  virtual void Run(const float* input, float* output, int images) = 0;
};

// `shape.images` is the largest number of images for Run; `weights` are [m][c][p][q], on the CPU.
using MakeConvolution = std::unique_ptr<Convolution>(const ConvShape& shape,
                                                     const std::vector<float>& weights);

MakeConvolution MakeNaive, MakeTiled, MakeIm2col, MakeFused, MakeTensor, MakeCublas, MakeCudnn;

// Null if the variant is not built.
MakeConvolution* FindConvolution(const std::string& variant);

}  // namespace cnn
