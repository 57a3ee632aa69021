#pragma once

#include <vector>

#include "conv_shape.h"

// The shapes with which convolutions are tested, on the CPU and on the GPU.
namespace cnn {

// Shapes that are not multiples of any tile, and those of the network.
std::vector<ConvShape> OddShapes();

// Whole numbers from -4 to 4. Their products and sums are exact in all precisions in use, so that
// every correct convolution gives the same bits, and a wrong index is detected.
std::vector<float> SmallIntegers(size_t size, unsigned seed);

}  // namespace cnn
