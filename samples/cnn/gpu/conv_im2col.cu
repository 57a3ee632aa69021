#include <cstdint>
#include <memory>
#include <vector>

#include "conv_cpu.h"
#include "gpu/cuda_check.h"
#include "gpu/device_buffer.h"
#include "gpu/matrix_product.cuh"
#include "gpu/unroll.h"

namespace cnn {
namespace {

// Columns of the unrolled matrix.
struct UnrolledColumns {
  const float* unrolled;

  struct ColumnReader {
    const float* column;
    int stride;
    int last;
    // Past the last depth, weights are zero, so any finite number is fine.
    __device__ float Load(int k) const { return column[int64_t(min(k, last)) * stride]; }
  };

  __device__ ColumnReader Reader(const ConvShape& shape, int column) const {
    return {unrolled + UnrolledStart(shape, column), shape.pixels(), shape.depth() - 1};
  }
};

template <class Tile>
__global__ __launch_bounds__(kProductThreads,
                             2) void Im2colProduct(ConvShape shape, const float* weights,
                                                   const float* unrolled, float* output) {
  MatrixProduct<Tile>(shape, weights, UnrolledColumns{unrolled}, output);
}

template <class Tile>
class Im2col : public Convolution {
 public:
  Im2col(const ConvShape& shape, const std::vector<float>& weights)
      : shape_(shape),
        weights_(TransposeWeights(shape, weights, Tile::kM)),
        unrolled_(shape.unrolled_size()) {}

  void Run(const float* input, float* output, int images) override {
    ConvShape shape = shape_;
    shape.images = images;
    Unroll(shape, input, unrolled_.data());
    Im2colProduct<Tile><<<ProductGrid<Tile>(shape), kProductThreads>>>(shape, weights_.data(),
                                                                       unrolled_.data(), output);
    CheckLaunch("Im2colProduct");
  }

 private:
  ConvShape shape_;
  DeviceBuffer<float> weights_;
  DeviceBuffer<float> unrolled_;
};

}  // namespace

std::unique_ptr<Convolution> MakeIm2col(const ConvShape& shape, const std::vector<float>& weights) {
  CheckShape(shape);
  if (shape.out_channels <= NarrowTile::kM) {
    return std::make_unique<Im2col<NarrowTile>>(shape, weights);
  }
  return std::make_unique<Im2col<WideTile>>(shape, weights);
}

}  // namespace cnn
