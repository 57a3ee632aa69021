#pragma once

#include <vector>

#include "conv_shape.h"

namespace cnn {

// The convolution as its definition says. What every other way is compared with.
void ConvolveDirect(const ConvShape& shape, const float* input, const float* weights,
                    float* output);

// The same as a matrix product over the unrolled input, with the index functions of conv_shape.h.
void ConvolveUnrolled(const ConvShape& shape, const float* input, const float* weights,
                      float* output);

// The same without the unrolled matrix, every factor fetched from the input where it is needed, by
// the table of DepthTable.
void ConvolveImplicit(const ConvShape& shape, const float* input, const float* weights,
                      float* output);

// DepthOffset of every k, then zeros up to a multiple of `step`: what lies there meets a weight
// that is zero, but must be readable.
std::vector<int> DepthTable(const ConvShape& shape, int step);

// Throws std::invalid_argument where the shape is empty or too large for 32-bit columns.
void CheckShape(const ConvShape& shape);

}  // namespace cnn
