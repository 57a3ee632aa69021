#include "gpu/cuda_check.h"
#include "gpu/unroll.h"

#include <cstdint>

namespace cnn {
namespace {

constexpr int kThreads = 256;

// A thread writes the windows of one input channel for one column. Neighboring threads have
// neighboring columns, so that their writes are contiguous.
__global__ __launch_bounds__(kThreads) void UnrollInput(ConvShape shape,
                                                        const float* __restrict__ input,
                                                        float* __restrict__ unrolled) {
  const int column = blockIdx.x * kThreads + threadIdx.x;
  if (column >= shape.columns()) return;
  const int channel = blockIdx.y;
  const float* window =
      input + WindowStart(shape, column) + int64_t(channel) * shape.height * shape.width;
  float* out = unrolled + UnrolledStart(shape, column) +
               int64_t(channel) * shape.kernel * shape.kernel * shape.pixels();
  for (int p = 0; p < shape.kernel; ++p) {
    for (int q = 0; q < shape.kernel; ++q) {
      *out = window[p * shape.width + q];
      out += shape.pixels();
    }
  }
}

}  // namespace

void Unroll(const ConvShape& shape, const float* input, float* unrolled) {
  const dim3 grid(RoundUp(shape.columns(), kThreads) / kThreads, shape.in_channels);
  UnrollInput<<<grid, kThreads>>>(shape, input, unrolled);
  CheckLaunch("UnrollInput");
}

}  // namespace cnn
