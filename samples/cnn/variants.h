#pragma once

#include <string>
#include <vector>

namespace cnn {

// A way to convolve.
struct Variant {
  std::string name;
  std::string description;
  bool on_gpu;
  // Largest difference of a score from the CPU's, as a share of the largest score. Sums in another
  // order differ by 1e-6 or so; operands of 11 bits (half, TF32) by 1e-3.
  double tolerance;
  // Whether sums of small whole numbers must come out exact, as they do unless an algorithm
  // transforms its input (Winograd, FFT).
  bool exact_integers;
};

const std::vector<Variant>& Variants();

// Null where there is none of that name.
const Variant* FindVariant(const std::string& name);

}  // namespace cnn
