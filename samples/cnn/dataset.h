#pragma once

#include <vector>

namespace cnn {

constexpr int kImageSide = 28;
constexpr int kImageSize = kImageSide * kImageSide;
constexpr int kClasses = 10;

// Images with one channel, [image][row][column], and their labels.
struct DataSet {
  std::vector<float> images;
  std::vector<int> labels;

  int size() const { return int(labels.size()); }
};

// The digits 0 to 9, each drawn with a few strokes that are moved, scaled, sheared, of varying
// thickness and noisy. Image i depends only on i and shows the digit i % 10. Only arithmetic that
// IEEE 754 defines exactly is used, so the set is the same everywhere.
DataSet MakeDataSet(int first, int count);

// Images from this number on are for training; the program classifies images below it.
constexpr int kFirstTrainingImage = 1'000'000'000;

}  // namespace cnn
