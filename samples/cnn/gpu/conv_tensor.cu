#include <cstdint>
#include <memory>
#include <vector>

#include <cuda_fp16.h>
#include <mma.h>

#include "conv_cpu.h"
#include "gpu/conv_gpu.h"
#include "gpu/cuda_check.h"
#include "gpu/device_buffer.h"

// The product of conv_fused.cu on Tensor Cores: factors are rounded to half precision when they are
// stored in shared memory; sums are in single precision.
namespace cnn {
namespace {

namespace wmma = nvcuda::wmma;

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kFragment = 16;  // a Tensor Core operation of WMMA is 16 x 16 x 16
// The depth in shared memory at a time, twice that of matrix_product.cuh.
constexpr int kStep = 32;
// Halves from row to row in shared memory: 80 bytes, so that eight rows of 16 bytes, which are read
// or written at the same time, are in different banks.
constexpr int kStride = kStep + 8;
constexpr int kHalvesPerVector = 8;  // in 16 bytes

// A block computes kM output channels by kN columns with warps in kWarpsDown rows.
template <int M, int N, int WarpsDown>
struct TensorTile {
  static constexpr int kM = M;
  static constexpr int kN = N;
  static constexpr int kWarpsAcross = kWarps / WarpsDown;
  static constexpr int kWarpM = M / WarpsDown;
  static constexpr int kWarpN = N / kWarpsAcross;
  static constexpr int kFragmentsDown = kWarpM / kFragment;
  static constexpr int kFragmentsAcross = kWarpN / kFragment;
  // Loading: a thread stays in its column, as in matrix_product.cuh, and loads neighbors in depth.
  static constexpr int kColumnLoads = kStep * N / kThreads;
  // Vectors of weights per thread; not all threads load the last one.
  static constexpr int kWeightVectors = M * kStep / kHalvesPerVector;
  static constexpr int kWeightLoads = (kWeightVectors + kThreads - 1) / kThreads;
  static_assert(kWarpM % kFragment == 0 && kWarpN % kFragment == 0);
  static_assert(kThreads % N == 0 && kColumnLoads % kHalvesPerVector == 0);
};

using NarrowTile = TensorTile<32, 256, 1>;
using WideTile = TensorTile<128, 128, 2>;

// Results before they are written, 16 x 16 for each warp. Rows have 20 floats, which spreads them
// over banks.
constexpr int kResultStride = kFragment + 4;

template <class Tile>
union SharedMemory {
  struct {
    __half weights[2][Tile::kM][kStride];
    __half columns[2][Tile::kN][kStride];
  } factors;
  float results[kWarps][kFragment][kResultStride];
};

// Rounds eight numbers.
__device__ uint4 ToHalves(const float* values) {
  uint4 packed;
  __half2* halves = reinterpret_cast<__half2*>(&packed);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    halves[i] = __floats2half2_rn(values[2 * i], values[2 * i + 1]);
  }
  return packed;
}

// Writes one fragment's 16 channels by 16 columns. `staging` belongs to the warp.
template <class Accumulator>
__device__ void StoreFragment(const ConvShape& shape, const Accumulator& sums, int first_channel,
                              int column, float (*staging)[kResultStride], float* output) {
  wmma::store_matrix_sync(&staging[0][0], sums, kResultStride, wmma::mem_row_major);
  __syncwarp();
  const int lane = threadIdx.x % 32;
  const int lane_column = lane % kFragment;
  if (column + lane_column < shape.columns()) {
    float* start = output + OutputStart(shape, column + lane_column);
#pragma unroll
    for (int row = lane / kFragment; row < kFragment; row += 32 / kFragment) {
      if (first_channel + row < shape.out_channels) {
        start[int64_t(first_channel + row) * shape.pixels()] = staging[row][lane_column];
      }
    }
  }
  __syncwarp();
}

// `weights` are [m][k], padded with zeros to whole tiles and steps; `offsets` is the DepthTable.
template <class Tile>
__global__ __launch_bounds__(kThreads, 2) void TensorConvolution(ConvShape shape,
                                                                 const __half* __restrict__ weights,
                                                                 const int* __restrict__ offsets,
                                                                 const float* __restrict__ input,
                                                                 float* __restrict__ output) {
  __shared__ __align__(128) SharedMemory<Tile> shared;

  const int thread = threadIdx.x;
  const int first_channel = blockIdx.y * Tile::kM;
  const int first_column = blockIdx.x * Tile::kN;
  const int padded_depth = RoundUp(shape.depth(), kStep);

  const int load_column = thread % Tile::kN;
  const int load_depth = thread / Tile::kN * Tile::kColumnLoads;
  // Columns past the end read the last column; they are not stored.
  const float* window =
      input + WindowStart(shape, min(first_column + load_column, shape.columns() - 1));

  float loaded[Tile::kColumnLoads];
  uint4 loaded_weights[Tile::kWeightLoads];
  constexpr int kVectorsInRow = kStep / kHalvesPerVector;
  auto load = [&](int k) {
#pragma unroll
    for (int i = 0; i < Tile::kWeightLoads; ++i) {
      const int vector = thread + i * kThreads;
      if (vector < Tile::kWeightVectors) {
        const int row = first_channel + vector / kVectorsInRow;
        const int depth = k + vector % kVectorsInRow * kHalvesPerVector;
        loaded_weights[i] =
            *reinterpret_cast<const uint4*>(weights + int64_t(row) * padded_depth + depth);
      }
    }
#pragma unroll
    for (int i = 0; i < Tile::kColumnLoads; i += 4) {
      const int4 offset = __ldg(reinterpret_cast<const int4*>(offsets + k + load_depth + i));
      loaded[i + 0] = __ldg(window + offset.x);
      loaded[i + 1] = __ldg(window + offset.y);
      loaded[i + 2] = __ldg(window + offset.z);
      loaded[i + 3] = __ldg(window + offset.w);
    }
  };
  auto stage = [&](int buffer) {
#pragma unroll
    for (int i = 0; i < Tile::kWeightLoads; ++i) {
      const int vector = thread + i * kThreads;
      if (vector < Tile::kWeightVectors) {
        const int depth = vector % kVectorsInRow * kHalvesPerVector;
        *reinterpret_cast<uint4*>(&shared.factors.weights[buffer][vector / kVectorsInRow][depth]) =
            loaded_weights[i];
      }
    }
#pragma unroll
    for (int i = 0; i < Tile::kColumnLoads; i += kHalvesPerVector) {
      *reinterpret_cast<uint4*>(&shared.factors.columns[buffer][load_column][load_depth + i]) =
          ToHalves(loaded + i);
    }
  };

  const int warp = thread / 32;
  const int warp_row = warp / Tile::kWarpsAcross * Tile::kWarpM;
  const int warp_column = warp % Tile::kWarpsAcross * Tile::kWarpN;
  using Sums = wmma::fragment<wmma::accumulator, kFragment, kFragment, kFragment, float>;
  Sums sums[Tile::kFragmentsDown][Tile::kFragmentsAcross];
#pragma unroll
  for (int i = 0; i < Tile::kFragmentsDown; ++i) {
#pragma unroll
    for (int j = 0; j < Tile::kFragmentsAcross; ++j) wmma::fill_fragment(sums[i][j], 0.0f);
  }
  auto multiply = [&](int buffer) {
#pragma unroll
    for (int k = 0; k < kStep; k += kFragment) {
      wmma::fragment<wmma::matrix_a, kFragment, kFragment, kFragment, __half, wmma::row_major>
          a[Tile::kFragmentsDown];
      wmma::fragment<wmma::matrix_b, kFragment, kFragment, kFragment, __half, wmma::col_major>
          b[Tile::kFragmentsAcross];
#pragma unroll
      for (int i = 0; i < Tile::kFragmentsDown; ++i) {
        wmma::load_matrix_sync(a[i], &shared.factors.weights[buffer][warp_row + i * kFragment][k],
                               kStride);
      }
#pragma unroll
      for (int j = 0; j < Tile::kFragmentsAcross; ++j) {
        wmma::load_matrix_sync(
            b[j], &shared.factors.columns[buffer][warp_column + j * kFragment][k], kStride);
      }
#pragma unroll
      for (int i = 0; i < Tile::kFragmentsDown; ++i) {
#pragma unroll
        for (int j = 0; j < Tile::kFragmentsAcross; ++j) {
          wmma::mma_sync(sums[i][j], a[i], b[j], sums[i][j]);
        }
      }
    }
  };

  load(0);
  stage(0);
  __syncthreads();
  int buffer = 0;
  for (int k = kStep; k < padded_depth; k += kStep) {
    load(k);
    multiply(buffer);
    // No thread reads the other buffer anymore: all have passed the barrier after multiplying it.
    buffer ^= 1;
    stage(buffer);
    __syncthreads();
  }
  multiply(buffer);

  __syncthreads();  // results overwrite the factors
#pragma unroll
  for (int i = 0; i < Tile::kFragmentsDown; ++i) {
#pragma unroll
    for (int j = 0; j < Tile::kFragmentsAcross; ++j) {
      StoreFragment(shape, sums[i][j], first_channel + warp_row + i * kFragment,
                    first_column + warp_column + j * kFragment, shared.results[warp], output);
    }
  }
}

std::vector<__half> HalfWeights(const ConvShape& shape, const std::vector<float>& weights,
                                int tile_m) {
  const int padded_depth = RoundUp(shape.depth(), kStep);
  std::vector<__half> halves(size_t(RoundUp(shape.out_channels, tile_m)) * padded_depth,
                             __float2half(0.0f));
  for (int m = 0; m < shape.out_channels; ++m) {
    for (int k = 0; k < shape.depth(); ++k) {
      halves[size_t(m) * padded_depth + k] = __float2half(weights[size_t(m) * shape.depth() + k]);
    }
  }
  return halves;
}

template <class Tile>
class Tensor : public Convolution {
 public:
  Tensor(const ConvShape& shape, const std::vector<float>& weights)
      : shape_(shape),
        weights_(HalfWeights(shape, weights, Tile::kM)),
        offsets_(DepthTable(shape, kStep)) {}

  void Run(const float* input, float* output, int images) override {
    ConvShape shape = shape_;
    shape.images = images;
    const dim3 grid(RoundUp(shape.columns(), Tile::kN) / Tile::kN,
                    RoundUp(shape.out_channels, Tile::kM) / Tile::kM);
    TensorConvolution<Tile>
        <<<grid, kThreads>>>(shape, weights_.data(), offsets_.data(), input, output);
    CheckLaunch("TensorConvolution");
  }

 private:
  ConvShape shape_;
  DeviceBuffer<__half> weights_;
  DeviceBuffer<int> offsets_;
};

}  // namespace

std::unique_ptr<Convolution> MakeTensor(const ConvShape& shape, const std::vector<float>& weights) {
  CheckShape(shape);
  if (shape.out_channels <= NarrowTile::kM) {
    return std::make_unique<Tensor<NarrowTile>>(shape, weights);
  }
  return std::make_unique<Tensor<WideTile>>(shape, weights);
}

}  // namespace cnn
