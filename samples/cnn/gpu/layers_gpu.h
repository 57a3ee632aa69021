#pragma once

#include "conv_shape.h"

// The layers between and behind the convolutions. All pointers are to GPU memory; nothing waits.
namespace cnn {

// ReLU, then the maximum of every 2x2 pixels, over the output of the convolution `shape`.
void ReluPoolOnGpu(const ConvShape& shape, const float* input, float* output);

// [image][input] times [input][output]; then adds the bias, where it is not null, then ReLU, where
// asked for.
void FullyConnectedOnGpu(const float* input, const float* weights, const float* bias, bool relu,
                         int images, int inputs, int outputs, float* output);

}  // namespace cnn
