#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "conv_cpu.h"
#include "gpu/conv_gpu.h"
#include "gpu/cuda_check.h"
#include "gpu/device_buffer.h"

namespace cnn {
namespace {

// A block computes 8x8 outputs of eight channels of one image, with one thread per output. The
// threads of a warp belong to one channel, four rows of eight.
constexpr int kTile = 8;
constexpr int kBlockChannels = 8;
constexpr int kThreads = kTile * kTile * kBlockChannels;
// Input channels in shared memory at a time: several need fewer barriers than one.
constexpr int kStagedChannels = 8;
// Floats from row to row in shared memory. With 24, the four rows that a warp reads at the same
// time are in banks 0-7, 24-31, 16-23 and 8-15: all 32, each once.
constexpr int kRowStride = 24;

template <int kKernel>
__global__ __launch_bounds__(kThreads) void TiledConvolution(ConvShape shape,
                                                             const float* __restrict__ input,
                                                             const float* __restrict__ weights,
                                                             float* __restrict__ output) {
  constexpr int kWindow = kKernel * kKernel;
  constexpr int kSide = kTile + kKernel - 1;  // of the input for a tile of outputs
  static_assert(kSide <= kRowStride);
  __shared__ float input_tile[kStagedChannels][kSide][kRowStride];
  __shared__ float weight_tile[kBlockChannels][kStagedChannels][kWindow];

  const int tiles_across = (shape.out_width() + kTile - 1) / kTile;
  const int first_x = blockIdx.y % tiles_across * kTile;
  const int first_y = blockIdx.y / tiles_across * kTile;
  const int groups = (shape.out_channels + kBlockChannels - 1) / kBlockChannels;
  const int first_m = blockIdx.x % groups * kBlockChannels;
  const int64_t n = blockIdx.x / groups;
  const int tile_x = threadIdx.x % kTile;
  const int tile_y = threadIdx.x / kTile % kTile;
  const int tile_m = threadIdx.x / (kTile * kTile);

  float sum = 0;
  for (int first_c = 0; first_c < shape.in_channels; first_c += kStagedChannels) {
    const int staged = min(kStagedChannels, shape.in_channels - first_c);
    for (int i = threadIdx.x; i < staged * kSide * kSide; i += kThreads) {
      const int c = i / (kSide * kSide);
      const int row = i / kSide % kSide;
      const int column = i % kSide;
      const int y = first_y + row;
      const int x = first_x + column;
      input_tile[c][row][column] =
          y < shape.height && x < shape.width
              ? input[((n * shape.in_channels + first_c + c) * shape.height + y) * shape.width + x]
              : 0.0f;
    }
    for (int i = threadIdx.x; i < kBlockChannels * staged * kWindow; i += kThreads) {
      const int m = i / (staged * kWindow);
      const int rest = i - m * (staged * kWindow);  // c and the place in the window
      weight_tile[m][rest / kWindow][rest % kWindow] =
          first_m + m < shape.out_channels
              ? weights[((first_m + m) * shape.in_channels + first_c) * kWindow + rest]
              : 0.0f;
    }
    __syncthreads();
    for (int c = 0; c < staged; ++c) {
#pragma unroll
      for (int p = 0; p < kKernel; ++p) {
#pragma unroll
        for (int q = 0; q < kKernel; ++q) {
          sum += input_tile[c][tile_y + p][tile_x + q] * weight_tile[tile_m][c][p * kKernel + q];
        }
      }
    }
    __syncthreads();
  }

  const int m = first_m + tile_m;
  const int y = first_y + tile_y;
  const int x = first_x + tile_x;
  if (m < shape.out_channels && y < shape.out_height() && x < shape.out_width()) {
    output[((n * shape.out_channels + m) * shape.out_height() + y) * shape.out_width() + x] = sum;
  }
}

class Tiled : public Convolution {
 public:
  using Kernel = void (*)(ConvShape, const float*, const float*, float*);

  Tiled(const ConvShape& shape, const std::vector<float>& weights, Kernel kernel)
      : shape_(shape), weights_(weights), kernel_(kernel) {}

  void Run(const float* input, float* output, int images) override {
    const int tiles = (RoundUp(shape_.out_width(), kTile) / kTile) *
                      (RoundUp(shape_.out_height(), kTile) / kTile);
    const int groups = RoundUp(shape_.out_channels, kBlockChannels) / kBlockChannels;
    kernel_<<<dim3(images * groups, tiles), kThreads>>>(shape_, input, weights_.data(), output);
    CheckLaunch("TiledConvolution");
  }

 private:
  ConvShape shape_;
  DeviceBuffer<float> weights_;
  Kernel kernel_;
};

// The loops over the window can be unrolled only if its size is known at compile time.
Tiled::Kernel KernelOfSize(int size) {
  switch (size) {
    case 3:
      return TiledConvolution<3>;
    case 5:
      return TiledConvolution<5>;
    case 7:
      return TiledConvolution<7>;
    default:
      throw std::invalid_argument("tiled is built for windows of 3, 5 and 7");
  }
}

}  // namespace

std::unique_ptr<Convolution> MakeTiled(const ConvShape& shape, const std::vector<float>& weights) {
  CheckShape(shape);
  return std::make_unique<Tiled>(shape, weights, KernelOfSize(shape.kernel));
}

}  // namespace cnn
