#pragma once

#include <vector>

namespace cnn {

constexpr int kImageSide = 28;
constexpr int kImageSize = kImageSide * kImageSide;
constexpr int kClasses = 10;

// Images of one channel, [image][row][column], and what each shows.
struct DataSet {
  std::vector<float> images;
  std::vector<int> labels;

  int size() const { return int(labels.size()); }
};

// The digits 0 to 9 drawn with a few strokes each, moved, scaled, sheared, of varying thickness and
// with noise. Image i depends on i alone and shows the digit i % 10. Uses only arithmetic that IEEE
// 754 defines exactly, so the set is the same everywhere.
DataSet MakeDataSet(int first, int count);

// Images from here on are for training; the program classifies images below it.
constexpr int kFirstTrainingImage = 1'000'000'000;

}  // namespace cnn
