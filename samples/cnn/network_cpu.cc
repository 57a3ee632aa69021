#include <algorithm>
#include <utility>
#include <vector>

#include "conv_cpu.h"
#include "network.h"
#include "nvtx_range.h"
#include "timing.h"

namespace cnn {
namespace {

// ReLU and pooling of the output of `shape`, in place.
void ReluPool(const ConvShape& shape, std::vector<float>& activations) {
  const int height = shape.out_height();
  const int width = shape.out_width();
  std::vector<float> pooled;
  pooled.reserve(activations.size() / (kPool * kPool));
  for (int plane = 0; plane < shape.images * shape.out_channels; ++plane) {
    const float* in = &activations[size_t(plane) * height * width];
    for (int y = 0; y + 1 < height; y += kPool) {
      for (int x = 0; x + 1 < width; x += kPool) {
        const float* corner = in + y * width + x;
        pooled.push_back(std::max({0.0f, corner[0], corner[1], corner[width], corner[width + 1]}));
      }
    }
  }
  activations = std::move(pooled);
}

std::vector<float> FullyConnected(const std::vector<float>& input, int images,
                                  const std::vector<float>& weights,
                                  const std::vector<float>& bias) {
  const int inputs = int(input.size()) / images;
  const int outputs = int(weights.size()) / inputs;
  std::vector<float> output(size_t(images) * outputs, 0.0f);
  for (int n = 0; n < images; ++n) {
    float* out = &output[size_t(n) * outputs];
    for (int i = 0; i < inputs; ++i) {
      const float in = input[size_t(n) * inputs + i];
      for (int o = 0; o < outputs; ++o) out[o] += in * weights[size_t(i) * outputs + o];
    }
    for (size_t o = 0; o < bias.size(); ++o) out[o] += bias[o];
  }
  return output;
}

void Relu(std::vector<float>& values) {
  for (float& value : values) value = std::max(value, 0.0f);
}

}  // namespace

ForwardResult ForwardOnCpu(const Weights& weights, const float* images, int count,
                           std::vector<float>* hidden) {
  // A batch whose activations fit into the processor's caches.
  constexpr int kBatch = 16;
  ForwardResult result;
  for (int first = 0; first < count; first += kBatch) {
    const int batch = std::min(kBatch, count - first);
    Stopwatch watch;
    std::vector<float> activations(Conv1(batch).output_size());
    {
      NvtxRange range("conv1");
      ConvolveDirect(Conv1(batch), images + size_t(first) * kImageSize, weights.conv1.data(),
                     activations.data());
    }
    result.times.conv1 += watch.Lap();
    ReluPool(Conv1(batch), activations);
    result.times.rest += watch.Lap();
    std::vector<float> activations2(Conv2(batch).output_size());
    {
      NvtxRange range("conv2");
      ConvolveDirect(Conv2(batch), activations.data(), weights.conv2.data(), activations2.data());
    }
    result.times.conv2 += watch.Lap();
    ReluPool(Conv2(batch), activations2);
    std::vector<float> features = FullyConnected(activations2, batch, weights.fc1, {});
    Relu(features);
    const std::vector<float> scores =
        FullyConnected(features, batch, weights.fc2, weights.fc2_bias);
    result.times.rest += watch.Lap();
    result.scores.insert(result.scores.end(), scores.begin(), scores.end());
    if (hidden != nullptr) hidden->insert(hidden->end(), features.begin(), features.end());
  }
  return result;
}

std::vector<int> Classify(const std::vector<float>& scores) {
  std::vector<int> labels;
  for (size_t i = 0; i < scores.size(); i += kClasses) {
    const auto first = scores.begin() + i;
    labels.push_back(int(std::max_element(first, first + kClasses) - first));
  }
  return labels;
}

}  // namespace cnn
