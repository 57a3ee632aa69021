#pragma once

#include <cstdint>
#include <vector>

#include "conv_shape.h"
#include "gpu/conv_gpu.h"

// The convolution as a matrix product, weights[m][k] times columns[k][j], in single precision. The
// template parameter `Columns` is the source of the columns: a matrix in memory or the input.
namespace cnn {

constexpr int kProductThreads = 256;
// The depth in shared memory at a time, twice: while one part is multiplied, the next one is
// loaded.
constexpr int kProductStep = 8;

// The work of a block of 256 threads: M output channels by N columns, of which each thread computes
// ThreadM by ThreadN, in groups of four by four.
template <int M, int N, int ThreadM, int ThreadN>
struct ProductTile {
  static constexpr int kM = M;
  static constexpr int kN = N;
  static constexpr int kThreadM = ThreadM;
  static constexpr int kThreadN = ThreadN;
  static constexpr int kThreadsDown = M / ThreadM;
  static constexpr int kThreadsAcross = N / ThreadN;
  static_assert(kThreadsDown * kThreadsAcross == kProductThreads);
  static_assert(ThreadM % 4 == 0 && ThreadN % 4 == 0);
  static_assert(kProductThreads % N == 0 && kProductStep % (kProductThreads / N) == 0);
  static_assert(kProductStep * M / 4 <= kProductThreads);
};

// For few and for many output channels.
using NarrowTile = ProductTile<32, 256, 4, 8>;
using WideTile = ProductTile<128, 128, 8, 8>;

// The weights in the layout of the product: [k][m], so that threads read neighbors, padded with
// zeros to whole steps and tiles, so that no bounds checks are needed.
inline std::vector<float> TransposeWeights(const ConvShape& shape,
                                           const std::vector<float>& weights, int tile_m) {
  const int padded_channels = RoundUp(shape.out_channels, tile_m);
  std::vector<float> transposed(size_t(RoundUp(shape.depth(), kProductStep)) * padded_channels);
  for (int m = 0; m < shape.out_channels; ++m) {
    for (int k = 0; k < shape.depth(); ++k) {
      transposed[size_t(k) * padded_channels + m] = weights[size_t(m) * shape.depth() + k];
    }
  }
  return transposed;
}

// Writes ThreadM by four results, starting at `channel` and `column`. If the number of pixels of an
// image is a multiple of four, four pixels are one store, since they are in one image.
template <int kRows, int kSumColumns>
__device__ void StoreFour(const ConvShape& shape, int channel, int column, int first_row,
                          int first_sum, const float (&sums)[kRows][kSumColumns], float* output) {
  const int pixels = shape.pixels();
  if (pixels % 4 == 0) {
    if (column >= shape.columns()) return;
    float* start = output + OutputStart(shape, column);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (channel + i >= shape.out_channels) break;
      const float* sum = &sums[first_row + i][first_sum];
      *reinterpret_cast<float4*>(start + int64_t(channel + i) * pixels) =
          make_float4(sum[0], sum[1], sum[2], sum[3]);
    }
    return;
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    if (column + j >= shape.columns()) return;
    float* start = output + OutputStart(shape, column + j);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (channel + i < shape.out_channels) {
        start[int64_t(channel + i) * pixels] = sums[first_row + i][first_sum + j];
      }
    }
  }
}

// The tile of block (x, y): x counts columns, y output channels. `columns.Reader(j)` reads one
// existing column. Its depths may go beyond the last one, up to a whole step; there, it may return
// any finite number.
template <class Tile, class Columns>
__device__ void MatrixProduct(const ConvShape& shape, const float* __restrict__ weights,
                              const Columns& columns, float* __restrict__ output) {
  __shared__ __align__(16) float weight_tile[2][kProductStep][Tile::kM];
  __shared__ __align__(16) float column_tile[2][kProductStep][Tile::kN];

  const int thread = threadIdx.x;
  const int first_channel = blockIdx.y * Tile::kM;
  const int first_column = blockIdx.x * Tile::kN;
  const int padded_channels = gridDim.y * Tile::kM;

  // Loading: a thread stays in its column and moves along the depth, so that the divisions that
  // find a column are done once. It loads four neighboring weights.
  constexpr int kLoadRows = kProductThreads / Tile::kN;
  constexpr int kLoads = kProductStep / kLoadRows;
  const int load_column = thread % Tile::kN;
  const int load_row = thread / Tile::kN;
  const auto reader = columns.Reader(shape, min(first_column + load_column, shape.columns() - 1));
  constexpr int kVectorsAcross = Tile::kM / 4;
  const bool loads_weights = thread < kProductStep * kVectorsAcross;
  const int weight_row = thread / kVectorsAcross;
  const int weight_column = thread % kVectorsAcross * 4;
  const float* weight_source =
      weights + int64_t(weight_row) * padded_channels + first_channel + weight_column;

  float loaded[kLoads];
  float4 loaded_weights = make_float4(0, 0, 0, 0);
  auto load = [&](int k) {
    if (loads_weights) {
      loaded_weights =
          *reinterpret_cast<const float4*>(weight_source + int64_t(k) * padded_channels);
    }
#pragma unroll
    for (int i = 0; i < kLoads; ++i) loaded[i] = reader.Load(k + load_row + i * kLoadRows);
  };
  auto stage = [&](int buffer) {
    if (loads_weights) {
      *reinterpret_cast<float4*>(&weight_tile[buffer][weight_row][weight_column]) = loaded_weights;
    }
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      column_tile[buffer][load_row + i * kLoadRows][load_column] = loaded[i];
    }
  };

  // Multiplying: a thread's rows are groups of four, kThreadsDown * 4 apart, and so are its
  // columns, so that the 16-byte reads of a warp are contiguous.
  const int thread_row = thread / Tile::kThreadsAcross * 4;
  const int thread_column = thread % Tile::kThreadsAcross * 4;
  float sums[Tile::kThreadM][Tile::kThreadN] = {};
  auto multiply = [&](int buffer) {
#pragma unroll
    for (int k = 0; k < kProductStep; ++k) {
      float4 a[Tile::kThreadM / 4];
      float4 b[Tile::kThreadN / 4];
#pragma unroll
      for (int i = 0; i < Tile::kThreadM / 4; ++i) {
        a[i] = *reinterpret_cast<const float4*>(
            &weight_tile[buffer][k][i * Tile::kThreadsDown * 4 + thread_row]);
      }
#pragma unroll
      for (int j = 0; j < Tile::kThreadN / 4; ++j) {
        b[j] = *reinterpret_cast<const float4*>(
            &column_tile[buffer][k][j * Tile::kThreadsAcross * 4 + thread_column]);
      }
#pragma unroll
      for (int i = 0; i < Tile::kThreadM / 4; ++i) {
        const float rows[4] = {a[i].x, a[i].y, a[i].z, a[i].w};
#pragma unroll
        for (int j = 0; j < Tile::kThreadN / 4; ++j) {
#pragma unroll
          for (int r = 0; r < 4; ++r) {
            sums[i * 4 + r][j * 4 + 0] += rows[r] * b[j].x;
            sums[i * 4 + r][j * 4 + 1] += rows[r] * b[j].y;
            sums[i * 4 + r][j * 4 + 2] += rows[r] * b[j].z;
            sums[i * 4 + r][j * 4 + 3] += rows[r] * b[j].w;
          }
        }
      }
    }
  };

  load(0);
  stage(0);
  __syncthreads();
  int buffer = 0;
  for (int k = kProductStep; k < shape.depth(); k += kProductStep) {
    load(k);
    multiply(buffer);
    // No thread reads the other buffer anymore: all have passed the barrier after multiplying it.
    buffer ^= 1;
    stage(buffer);
    __syncthreads();
  }
  multiply(buffer);

#pragma unroll
  for (int i = 0; i < Tile::kThreadM / 4; ++i) {
#pragma unroll
    for (int j = 0; j < Tile::kThreadN / 4; ++j) {
      StoreFour(shape, first_channel + i * Tile::kThreadsDown * 4 + thread_row,
                first_column + j * Tile::kThreadsAcross * 4 + thread_column, i * 4, j * 4, sums,
                output);
    }
  }
}

template <class Tile>
dim3 ProductGrid(const ConvShape& shape) {
  return dim3(RoundUp(shape.columns(), Tile::kN) / Tile::kN,
              RoundUp(shape.out_channels, Tile::kM) / Tile::kM);
}

}  // namespace cnn
