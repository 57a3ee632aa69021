#pragma once

#include "conv_shape.h"

namespace cnn {

// Writes every window of the input as a column, in the layout of UnrolledStart: each input number
// up to kernel * kernel times.
void Unroll(const ConvShape& shape, const float* input, float* unrolled);

}  // namespace cnn
