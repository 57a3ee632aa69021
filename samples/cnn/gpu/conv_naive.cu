#include <cstdint>
#include <memory>
#include <vector>

#include "conv_cpu.h"
#include "gpu/conv_gpu.h"
#include "gpu/cuda_check.h"
#include "gpu/device_buffer.h"

namespace cnn {
namespace {

// A block computes 16x16 outputs of one channel of one image.
constexpr int kTile = 16;

__global__ void NaiveConvolution(ConvShape shape, const float* input, const float* weights,
                                 float* output) {
  const int tiles_across = (shape.out_width() + kTile - 1) / kTile;
  const int x = blockIdx.y % tiles_across * kTile + threadIdx.x;
  const int y = blockIdx.y / tiles_across * kTile + threadIdx.y;
  const int m = blockIdx.x % shape.out_channels;
  const int64_t n = blockIdx.x / shape.out_channels;
  if (x >= shape.out_width() || y >= shape.out_height()) return;

  float sum = 0;
  for (int c = 0; c < shape.in_channels; ++c) {
    for (int p = 0; p < shape.kernel; ++p) {
      for (int q = 0; q < shape.kernel; ++q) {
        const float in =
            input[((n * shape.in_channels + c) * shape.height + y + p) * shape.width + x + q];
        const float weight =
            weights[((m * shape.in_channels + c) * shape.kernel + p) * shape.kernel + q];
        sum += in * weight;
      }
    }
  }
  output[((n * shape.out_channels + m) * shape.out_height() + y) * shape.out_width() + x] = sum;
}

class Naive : public Convolution {
 public:
  Naive(const ConvShape& shape, const std::vector<float>& weights)
      : shape_(shape), weights_(weights) {}

  void Run(const float* input, float* output, int images) override {
    const int tiles = (RoundUp(shape_.out_width(), kTile) / kTile) *
                      (RoundUp(shape_.out_height(), kTile) / kTile);
    NaiveConvolution<<<dim3(images * shape_.out_channels, tiles), dim3(kTile, kTile)>>>(
        shape_, input, weights_.data(), output);
    CheckLaunch("NaiveConvolution");
  }

 private:
  ConvShape shape_;
  DeviceBuffer<float> weights_;
};

}  // namespace

std::unique_ptr<Convolution> MakeNaive(const ConvShape& shape, const std::vector<float>& weights) {
  CheckShape(shape);
  return std::make_unique<Naive>(shape, weights);
}

}  // namespace cnn
