#include "conv_cpu.h"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <stdexcept>

namespace cnn {
namespace {

// output[i] += weight * input[i]
void AddScaled(float weight, const float* __restrict input, int count, float* __restrict output) {
  for (int i = 0; i < count; ++i) output[i] += weight * input[i];
}

}  // namespace

void ConvolveDirect(const ConvShape& shape, const float* input, const float* weights,
                    float* output) {
  const int plane = shape.height * shape.width;
  std::fill(output, output + shape.output_size(), 0.0f);
  for (int n = 0; n < shape.images; ++n) {
    const float* image = input + size_t(n) * shape.in_channels * plane;
    for (int m = 0; m < shape.out_channels; ++m) {
      float* out = output + (size_t(n) * shape.out_channels + m) * shape.pixels();
      const float* weight = weights + size_t(m) * shape.depth();
      // The inner loop is a row of outputs, so that a compiler can use vector instructions. Each
      // output still sums in the order c, p, q.
      for (int c = 0; c < shape.in_channels; ++c) {
        for (int p = 0; p < shape.kernel; ++p) {
          for (int q = 0; q < shape.kernel; ++q, ++weight) {
            for (int y = 0; y < shape.out_height(); ++y) {
              AddScaled(*weight, image + c * plane + (y + p) * shape.width + q, shape.out_width(),
                        out + y * shape.out_width());
            }
          }
        }
      }
    }
  }
}

void ConvolveUnrolled(const ConvShape& shape, const float* input, const float* weights,
                      float* output) {
  std::vector<float> unrolled(shape.unrolled_size());
  for (int column = 0; column < shape.columns(); ++column) {
    for (int k = 0; k < shape.depth(); ++k) {
      unrolled[UnrolledStart(shape, column) + int64_t(k) * shape.pixels()] =
          input[WindowStart(shape, column) + DepthOffset(shape, k)];
    }
  }
  for (int column = 0; column < shape.columns(); ++column) {
    for (int m = 0; m < shape.out_channels; ++m) {
      float sum = 0;
      for (int k = 0; k < shape.depth(); ++k) {
        sum += weights[size_t(m) * shape.depth() + k] *
               unrolled[UnrolledStart(shape, column) + int64_t(k) * shape.pixels()];
      }
      output[OutputStart(shape, column) + int64_t(m) * shape.pixels()] = sum;
    }
  }
}

void ConvolveImplicit(const ConvShape& shape, const float* input, const float* weights,
                      float* output) {
  constexpr int kStep = 32;
  const std::vector<int> offsets = DepthTable(shape, kStep);
  for (int column = 0; column < shape.columns(); ++column) {
    const float* window = input + WindowStart(shape, column);
    for (int m = 0; m < shape.out_channels; ++m) {
      float sum = 0;
      for (int k = 0; k < int(offsets.size()); ++k) {
        const float weight = k < shape.depth() ? weights[size_t(m) * shape.depth() + k] : 0;
        sum += weight * window[offsets[k]];
      }
      output[OutputStart(shape, column) + int64_t(m) * shape.pixels()] = sum;
    }
  }
}

std::vector<int> DepthTable(const ConvShape& shape, int step) {
  std::vector<int> table(RoundUp(shape.depth(), step), 0);
  for (int k = 0; k < shape.depth(); ++k) table[k] = DepthOffset(shape, k);
  return table;
}

void CheckShape(const ConvShape& shape) {
  if (shape.images < 1 || shape.in_channels < 1 || shape.out_channels < 1 || shape.kernel < 1 ||
      shape.out_height() < 1 || shape.out_width() < 1) {
    throw std::invalid_argument("a convolution of nothing");
  }
  // Kernels round columns up to their tiles of at most a few hundred columns.
  if (int64_t(shape.images) * shape.pixels() > INT_MAX - 4096) {
    throw std::invalid_argument("too many images at once; a smaller --batch is needed");
  }
}

}  // namespace cnn
