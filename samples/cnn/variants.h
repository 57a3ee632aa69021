#pragma once

#include <string>
#include <vector>

namespace cnn {

// An implementation of convolution.
struct Variant {
  std::string name;
  std::string description;
  bool on_gpu;
  // The largest allowed difference of a score from the CPU's, as a share of the largest score. Sums
  // in another order differ by about 1e-6; operands of 11 bits (half, TF32) by about 1e-3.
  double tolerance;
  // Whether sums of small whole numbers must be exact, as they are unless an algorithm transforms
  // its input (Winograd, FFT).
  bool exact_integers;
};

const std::vector<Variant>& Variants();

// Null if there is no variant with that name.
const Variant* FindVariant(const std::string& name);

}  // namespace cnn
