#pragma once

#include <vector>

namespace cnn {

// The difference of two results for the same images. `expected` may cover only the first images.
struct Agreement {
  int images = 0;
  double largest_error = 0;  // of a score; infinite if a score is NaN
  double largest_score = 0;  // of the expected ones
  double equal_labels = 0;   // share
};

Agreement Compare(const std::vector<float>& scores, const std::vector<float>& expected);

// The share of images whose highest score is that of their label.
double Accuracy(const std::vector<float>& scores, const std::vector<int>& labels);

}  // namespace cnn
