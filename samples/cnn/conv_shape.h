#pragma once

#include <cstddef>
#include <cstdint>

#ifdef __CUDACC__
#define CNN_HOST_DEVICE __host__ __device__
#else
#define CNN_HOST_DEVICE
#endif

namespace cnn {

// A convolution without padding and with stride 1 over images in NCHW order:
//   output[n][m][y][x] = sum over c, p, q of input[n][c][y + p][x + q] * weights[m][c][p][q]
//
// The same as a matrix product: weights[m][k] times columns[k][j], where k runs over the `depth()`
// triples (c, p, q) and the column j over the output pixels of all images. The functions below
// compute the positions of numbers. Kernels and tests use the same functions, so that tests on a
// machine without a GPU cover the GPU's index computations.
struct ConvShape {
  int images = 0;
  int in_channels = 0;
  int height = 0;
  int width = 0;
  int out_channels = 0;
  int kernel = 0;

  CNN_HOST_DEVICE int out_height() const { return height - kernel + 1; }
  CNN_HOST_DEVICE int out_width() const { return width - kernel + 1; }
  // The output pixels of an image in one channel.
  CNN_HOST_DEVICE int pixels() const { return out_height() * out_width(); }
  CNN_HOST_DEVICE int depth() const { return in_channels * kernel * kernel; }
  CNN_HOST_DEVICE int columns() const { return images * pixels(); }

  size_t input_size() const { return size_t(images) * in_channels * height * width; }
  size_t weight_size() const { return size_t(out_channels) * depth(); }
  size_t output_size() const { return size_t(images) * out_channels * pixels(); }
  size_t unrolled_size() const { return size_t(images) * depth() * pixels(); }
};

// The input position of the top left corner of a column's window, in channel 0.
CNN_HOST_DEVICE inline int64_t WindowStart(const ConvShape& shape, int column) {
  const int image = column / shape.pixels();
  const int pixel = column - image * shape.pixels();
  const int y = pixel / shape.out_width();
  const int x = pixel - y * shape.out_width();
  return int64_t(image) * shape.in_channels * shape.height * shape.width + y * shape.width + x;
}

// The distance of the input of depth k from the window's start. It is the same for every column, so
// a table of it replaces all divisions in the inner loops of the implicit products.
CNN_HOST_DEVICE inline int DepthOffset(const ConvShape& shape, int k) {
  const int window = shape.kernel * shape.kernel;
  const int channel = k / window;
  const int p = (k - channel * window) / shape.kernel;
  const int q = k - channel * window - p * shape.kernel;
  return (channel * shape.height + p) * shape.width + q;
}

// The output position of a column's result for channel 0; channel m is m * pixels() further.
CNN_HOST_DEVICE inline int64_t OutputStart(const ConvShape& shape, int column) {
  const int image = column / shape.pixels();
  const int pixel = column - image * shape.pixels();
  return int64_t(image) * shape.out_channels * shape.pixels() + pixel;
}

// The start of a column in the unrolled matrix, whose layout is [image][k][pixel]: each image is a
// separate matrix, and neighboring pixels are neighbors. Depth k is k * pixels() further.
CNN_HOST_DEVICE inline int64_t UnrolledStart(const ConvShape& shape, int column) {
  const int image = column / shape.pixels();
  const int pixel = column - image * shape.pixels();
  return int64_t(image) * shape.depth() * shape.pixels() + pixel;
}

CNN_HOST_DEVICE inline int RoundUp(int value, int multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace cnn
