#pragma once

#include <vector>

#include "conv_shape.h"

namespace cnn {

// The convolution by its definition, with which all other variants are compared.
void ConvolveDirect(const ConvShape& shape, const float* input, const float* weights,
                    float* output);

// The same as a matrix product over the unrolled input, with the index functions of conv_shape.h.
void ConvolveUnrolled(const ConvShape& shape, const float* input, const float* weights,
                      float* output);

// The same without the unrolled matrix: every factor is read from the input when it is needed, with
// the offsets of DepthTable.
void ConvolveImplicit(const ConvShape& shape, const float* input, const float* weights,
                      float* output);

// DepthOffset of every k, followed by zeros up to a multiple of `step`: inputs there are multiplied
// by a weight that is zero, but must be readable.
std::vector<int> DepthTable(const ConvShape& shape, int step);

// Throws std::invalid_argument if the shape is empty or too large for 32-bit columns.
void CheckShape(const ConvShape& shape);

}  // namespace cnn
