#pragma once

#include <string>
#include <vector>

#include "conv_shape.h"
#include "dataset.h"

namespace cnn {

// 28x28 -> conv1 5x5 -> 32 x 24x24 -> ReLU, 2x2 maximum -> 32 x 12x12
//       -> conv2 5x5 -> 128 x 8x8 -> ReLU, 2x2 maximum -> 128 x 4x4
//       -> fully connected, ReLU -> 128 -> fully connected -> 10 scores
constexpr int kKernel = 5;
constexpr int kPool = 2;
constexpr int kChannels1 = 32;
constexpr int kChannels2 = 128;
constexpr int kPooledSide1 = (kImageSide - kKernel + 1) / kPool;
constexpr int kPooledSide2 = (kPooledSide1 - kKernel + 1) / kPool;
constexpr int kFeatures = kChannels2 * kPooledSide2 * kPooledSide2;
constexpr int kHidden = 128;

constexpr ConvShape Conv1(int images) {
  return {images, 1, kImageSide, kImageSide, kChannels1, kKernel};
}
constexpr ConvShape Conv2(int images) {
  return {images, kChannels1, kPooledSide1, kPooledSide1, kChannels2, kKernel};
}

// Convolutions are [m][c][p][q], fully connected layers [input][output].
struct Weights {
  std::vector<float> conv1, conv2, fc1, fc2, fc2_bias;
};

// The convolutions and fc1 are fixed random features, generated from a seed. Only the last layer is
// trained, by tools/train_head.cc, and its 1,290 numbers are in head_weights.inc: the weights of a
// fully trained network would be a file of 1.5 MB for the same GPU work.
Weights MakeWeights();

// Milliseconds of a pass over all images.
struct LayerTimes {
  double conv1 = 0;
  double conv2 = 0;
  double rest = 0;

  double total() const { return conv1 + conv2 + rest; }
};

struct ForwardResult {
  std::vector<float> scores;  // [image][class]
  LayerTimes times;           // mean over the repeats
};

// Unless `hidden` is null, sets it to the input of the last layer, [image][kHidden].
ForwardResult ForwardOnCpu(const Weights& weights, const float* images, int count,
                           std::vector<float>* hidden = nullptr);

// The class with the highest score, for each image.
std::vector<int> Classify(const std::vector<float>& scores);

}  // namespace cnn
