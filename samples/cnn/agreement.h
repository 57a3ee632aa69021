#pragma once

#include <vector>

namespace cnn {

// How two results for the same images differ. `expected` may be of the first images only.
struct Agreement {
  int images = 0;
  double largest_error = 0;  // of a score; infinite where one is not a number
  double largest_score = 0;  // of the expected ones
  double equal_labels = 0;   // share
};

Agreement Compare(const std::vector<float>& scores, const std::vector<float>& expected);

// Share of images whose highest score is that of their label.
double Accuracy(const std::vector<float>& scores, const std::vector<int>& labels);

}  // namespace cnn
