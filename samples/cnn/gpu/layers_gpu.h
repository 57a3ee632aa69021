#pragma once

#include "conv_shape.h"

// The layers between and after the convolutions. All pointers are to GPU memory; nothing waits.
namespace cnn {

// ReLU, then the maximum of every 2x2 pixels, of the output of the convolution `shape`.
void ReluPoolOnGpu(const ConvShape& shape, const float* input, float* output);

// [image][input] times [input][output]; then adds the bias unless it is null, and applies ReLU if
// `relu`.
void FullyConnectedOnGpu(const float* input, const float* weights, const float* bias, bool relu,
                         int images, int inputs, int outputs, float* output);

}  // namespace cnn
