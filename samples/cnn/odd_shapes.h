#pragma once

#include <vector>

#include "conv_shape.h"

// What convolutions are tested with, on the CPU and on the GPU.
namespace cnn {

// Shapes that are not multiples of any tile, and the network's own.
std::vector<ConvShape> OddShapes();

// Whole numbers from -4 to 4. Products and sums of these are exact in every precision in use, so
// that every right convolution gives the same bits, and a wrong index shows.
std::vector<float> SmallIntegers(size_t size, unsigned seed);

}  // namespace cnn
