#include <memory>
#include <vector>

#include "conv_cpu.h"
#include "gpu/cuda_check.h"
#include "gpu/device_buffer.h"
#include "gpu/matrix_product.cuh"

namespace cnn {
namespace {

// Columns that are never stored: the value at depth k of a column is read from the input, at the
// start of the column's window plus an offset that depends only on k.
struct ImplicitColumns {
  const float* input;
  const int* offsets;  // DepthTable

  struct ColumnReader {
    const float* window;
    const int* offsets;
    __device__ float Load(int k) const { return __ldg(window + __ldg(offsets + k)); }
  };

  __device__ ColumnReader Reader(const ConvShape& shape, int column) const {
    return {input + WindowStart(shape, column), offsets};
  }
};

template <class Tile>
__global__ __launch_bounds__(kProductThreads,
                             2) void FusedConvolution(ConvShape shape, const float* weights,
                                                      const int* offsets, const float* input,
                                                      float* output) {
  MatrixProduct<Tile>(shape, weights, ImplicitColumns{input, offsets}, output);
}

template <class Tile>
class Fused : public Convolution {
 public:
  Fused(const ConvShape& shape, const std::vector<float>& weights)
      : shape_(shape),
        weights_(TransposeWeights(shape, weights, Tile::kM)),
        offsets_(DepthTable(shape, kProductStep)) {}

  void Run(const float* input, float* output, int images) override {
    ConvShape shape = shape_;
    shape.images = images;
    FusedConvolution<Tile><<<ProductGrid<Tile>(shape), kProductThreads>>>(
        shape, weights_.data(), offsets_.data(), input, output);
    CheckLaunch("FusedConvolution");
  }

 private:
  ConvShape shape_;
  DeviceBuffer<float> weights_;
  DeviceBuffer<int> offsets_;
};

}  // namespace

std::unique_ptr<Convolution> MakeFused(const ConvShape& shape, const std::vector<float>& weights) {
  CheckShape(shape);
  if (shape.out_channels <= NarrowTile::kM) {
    return std::make_unique<Fused<NarrowTile>>(shape, weights);
  }
  return std::make_unique<Fused<WideTile>>(shape, weights);
}

}  // namespace cnn
