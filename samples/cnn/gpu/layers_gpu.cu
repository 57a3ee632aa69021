#include "gpu/cuda_check.h"
#include "gpu/layers_gpu.h"

#include <cstdint>
#include "network.h"

namespace cnn {
namespace {

constexpr int kThreads = 256;

__global__ __launch_bounds__(kThreads) void ReluPool(int64_t outputs, int width, int out_height,
                                                     int out_width, int plane,
                                                     const float* __restrict__ input,
                                                     float* __restrict__ output) {
  const int64_t i = int64_t(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= outputs) return;
  const int64_t image_channel = i / (out_height * out_width);
  const int pixel = int(i - image_channel * (out_height * out_width));
  const int y = pixel / out_width;
  const int x = pixel - y * out_width;
  const float* corner = input + image_channel * plane + y * kPool * width + x * kPool;
  const float upper = fmaxf(corner[0], corner[1]);
  const float lower = fmaxf(corner[width], corner[width + 1]);
  output[i] = fmaxf(0.0f, fmaxf(upper, lower));
}

// A block computes 64 images by 64 outputs, a thread 4 by 4 of them.
constexpr int kTile = 64;
constexpr int kStep = 16;
constexpr int kLoads = kTile * kStep / kThreads;

__global__ __launch_bounds__(kThreads) void FullyConnected(const float* __restrict__ input,
                                                           const float* __restrict__ weights,
                                                           const float* __restrict__ bias,
                                                           bool relu, int images, int inputs,
                                                           int outputs,
                                                           float* __restrict__ output) {
  // Rows of 68 instead of 64 spread the transposing stores over banks and stay 16-byte aligned.
  __shared__ __align__(16) float input_tile[kStep][kTile + 4];
  __shared__ __align__(16) float weight_tile[kStep][kTile];
  const int thread = threadIdx.x;
  const int first_image = blockIdx.x * kTile;
  const int first_output = blockIdx.y * kTile;
  const int row = thread / (kTile / 4) * 4;
  const int column = thread % (kTile / 4) * 4;

  float sums[4][4] = {};
  for (int first = 0; first < inputs; first += kStep) {
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const int element = thread + i * kThreads;
      const int k = element % kStep;
      const int image = element / kStep;
      const bool inside = first_image + image < images && first + k < inputs;
      input_tile[k][image] =
          inside ? input[int64_t(first_image + image) * inputs + first + k] : 0.0f;
    }
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const int element = thread + i * kThreads;
      const int k = element / kTile;
      const int o = element % kTile;
      const bool inside = first + k < inputs && first_output + o < outputs;
      weight_tile[k][o] = inside ? weights[int64_t(first + k) * outputs + first_output + o] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kStep; ++k) {
      const float4 a = *reinterpret_cast<const float4*>(&input_tile[k][row]);
      const float4 b = *reinterpret_cast<const float4*>(&weight_tile[k][column]);
      const float rows[4] = {a.x, a.y, a.z, a.w};
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        sums[r][0] += rows[r] * b.x;
        sums[r][1] += rows[r] * b.y;
        sums[r][2] += rows[r] * b.z;
        sums[r][3] += rows[r] * b.w;
      }
    }
    __syncthreads();
  }

#pragma unroll
  for (int r = 0; r < 4; ++r) {
    const int image = first_image + row + r;
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      const int o = first_output + column + c;
      if (image < images && o < outputs) {
        float value = sums[r][c] + (bias == nullptr ? 0.0f : bias[o]);
        if (relu) value = fmaxf(value, 0.0f);
        output[int64_t(image) * outputs + o] = value;
      }
    }
  }
}

}  // namespace

void ReluPoolOnGpu(const ConvShape& shape, const float* input, float* output) {
  const int out_height = shape.out_height() / kPool;
  const int out_width = shape.out_width() / kPool;
  const int64_t outputs = int64_t(shape.images) * shape.out_channels * out_height * out_width;
  const unsigned blocks = unsigned((outputs + kThreads - 1) / kThreads);
  ReluPool<<<blocks, kThreads>>>(outputs, shape.out_width(), out_height, out_width, shape.pixels(),
                                 input, output);
  CheckLaunch("ReluPool");
}

void FullyConnectedOnGpu(const float* input, const float* weights, const float* bias, bool relu,
                         int images, int inputs, int outputs, float* output) {
  const dim3 grid(RoundUp(images, kTile) / kTile, RoundUp(outputs, kTile) / kTile);
  FullyConnected<<<grid, kThreads>>>(input, weights, bias, relu, images, inputs, outputs, output);
  CheckLaunch("FullyConnected");
}

}  // namespace cnn
