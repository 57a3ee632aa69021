#pragma once

#include <cstdint>
#include <vector>

#include "model/op_inputs.h"

namespace warpsight {

// out[batch, m, n] = a[batch, m, k] · b[batch, k, n]. For vectors, m or n is 1.
struct GemmShape {
  int64_t batch = 1;
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  ElementType a = ElementType::kUnknown;
  ElementType b = ElementType::kUnknown;

  double Flops() const;
};

// A convolution with its spatial dimensions (1 to 3). For a backward op, that of its forward op.
struct ConvShape {
  int64_t batch = 1;
  int64_t in_channels = 0;
  int64_t out_channels = 0;
  int64_t groups = 1;
  bool transposed = false;
  bool backward = false;
  std::vector<int64_t> input;   // spatial dimensions; empty if not recorded
  std::vector<int64_t> output;  // spatial dimensions
  std::vector<int64_t> filter;
  ElementType type = ElementType::kUnknown;

  // The FLOPs of one pass; forward, gradient of the input and gradient of the weights are equal.
  double Flops() const;
};

}  // namespace warpsight
