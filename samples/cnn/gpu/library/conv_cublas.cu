#include <cublas_v2.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "conv_cpu.h"
#include "gpu/conv_gpu.h"
#include "gpu/device_buffer.h"
#include "gpu/unroll.h"

namespace cnn {
namespace {

void CublasCheck(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    throw std::runtime_error(std::string("cuBLAS: ") + cublasGetStatusString(status));
  }
}

class Handle {
 public:
  Handle() { CublasCheck(cublasCreate(&handle_)); }
  ~Handle() { cublasDestroy(handle_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  cublasHandle_t get() const { return handle_; }

 private:
  cublasHandle_t handle_ = nullptr;
};

// The product of conv_im2col.cu by cuBLAS in single precision, one per image, so that the output is
// in NCHW order.
class Cublas : public Convolution {
 public:
  Cublas(const ConvShape& shape, const std::vector<float>& weights)
      : shape_(shape), weights_(weights), unrolled_(shape.unrolled_size()) {}

  void Run(const float* input, float* output, int images) override {
    ConvShape shape = shape_;
    shape.images = images;
    Unroll(shape, input, unrolled_.data());
    // cuBLAS uses column-major order, in which a row-major matrix is its transpose, so output =
    // weights * columns is computed as output' = columns' * weights'.
    const int pixels = shape.pixels();
    const int depth = shape.depth();
    const float one = 1;
    const float zero = 0;
    CublasCheck(cublasSgemmStridedBatched(
        handle_.get(), CUBLAS_OP_N, CUBLAS_OP_N, pixels, shape.out_channels, depth, &one,
        unrolled_.data(), pixels, int64_t(depth) * pixels, weights_.data(), depth, 0, &zero, output,
        pixels, int64_t(shape.out_channels) * pixels, images));
  }

 private:
  ConvShape shape_;
  Handle handle_;
  DeviceBuffer<float> weights_;
  DeviceBuffer<float> unrolled_;
};

}  // namespace

std::unique_ptr<Convolution> MakeCublas(const ConvShape& shape, const std::vector<float>& weights) {
  CheckShape(shape);
  return std::make_unique<Cublas>(shape, weights);
}

}  // namespace cnn
