// Tests that need no GPU. They use only the standard library, like the sample.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "agreement.h"
#include "conv_cpu.h"
#include "dataset.h"
#include "network.h"
#include "odd_shapes.h"
#include "options.h"

namespace cnn {
namespace {

int failures = 0;

void Expect(bool holds, const std::string& what) {
  if (holds) return;
  std::printf("failed: %s\n", what.c_str());
  ++failures;
}

using Convolve = void (*)(const ConvShape&, const float*, const float*, float*);

std::vector<float> Apply(Convolve convolve, const ConvShape& shape) {
  std::vector<float> output(shape.output_size(), NAN);
  convolve(shape, SmallIntegers(shape.input_size(), 1).data(),
           SmallIntegers(shape.weight_size(), 2).data(), output.data());
  return output;
}

// The definition, without any of the functions under test.
float ByDefinition(const ConvShape& s, const std::vector<float>& input,
                   const std::vector<float>& weights, int n, int m, int y, int x) {
  float sum = 0;
  for (int c = 0; c < s.in_channels; ++c) {
    for (int p = 0; p < s.kernel; ++p) {
      for (int q = 0; q < s.kernel; ++q) {
        sum += input[((n * s.in_channels + c) * s.height + y + p) * s.width + x + q] *
               weights[((m * s.in_channels + c) * s.kernel + p) * s.kernel + q];
      }
    }
  }
  return sum;
}

void TestLoopsFollowTheDefinition() {
  for (const ConvShape& shape :
       {ConvShape{2, 3, 9, 7, 4, 3}, ConvShape{1, 1, 5, 5, 1, 5}, ConvShape{3, 2, 8, 12, 5, 7}}) {
    const std::vector<float> input = SmallIntegers(shape.input_size(), 1);
    const std::vector<float> weights = SmallIntegers(shape.weight_size(), 2);
    const std::vector<float> output = Apply(ConvolveDirect, shape);
    size_t i = 0;
    bool equal = true;
    for (int n = 0; n < shape.images; ++n) {
      for (int m = 0; m < shape.out_channels; ++m) {
        for (int y = 0; y < shape.out_height(); ++y) {
          for (int x = 0; x < shape.out_width(); ++x) {
            equal &= output[i++] == ByDefinition(shape, input, weights, n, m, y, x);
          }
        }
      }
    }
    Expect(equal, "loops follow the definition");
  }
}

void TestIndexMath() {
  for (const ConvShape& shape : OddShapes()) {
    const std::string size = std::to_string(shape.images) + "x" +
                             std::to_string(shape.in_channels) + "x" +
                             std::to_string(shape.height) + "x" + std::to_string(shape.width);
    const std::vector<float> expected = Apply(ConvolveDirect, shape);
    Expect(Apply(ConvolveUnrolled, shape) == expected, "im2col equals the loops, " + size);
    Expect(Apply(ConvolveImplicit, shape) == expected, "implicit equals the loops, " + size);
  }
}

void TestDepthTableIsPaddedAndInside() {
  const ConvShape shape{1, 3, 9, 11, 2, 5};
  const std::vector<int> table = DepthTable(shape, 32);
  Expect(table.size() == 96, "the table ends with a whole step");
  for (int k = 0; k < int(table.size()); ++k) {
    // The window of the last column must not exceed the last image.
    const int64_t last = WindowStart(shape, shape.columns() - 1) + table[k];
    Expect(last >= 0 && last < int64_t(shape.input_size()), "offsets stay inside the input");
    Expect(k < shape.depth() || table[k] == 0, "the padding is zero");
  }
}

void TestShapesAreChecked() {
  const auto refused = [](const ConvShape& shape) {
    try {
      CheckShape(shape);
    } catch (const std::invalid_argument&) {
      return true;
    }
    return false;
  };
  Expect(!refused(Conv1(10000)), "the network's shape is accepted");
  Expect(refused({1, 1, 4, 9, 1, 5}), "a window higher than the image is refused");
  Expect(refused(Conv1(4'000'000)), "columns beyond 32 bits are refused");
}

void TestDataSet() {
  const DataSet set = MakeDataSet(0, 1000);
  std::vector<int> counts(kClasses);
  for (int label : set.labels) ++counts[label];
  for (int count : counts) Expect(count == 100, "every class is there equally often");
  const DataSet later = MakeDataSet(990, 10);
  Expect(std::equal(later.images.begin(), later.images.end(), &set.images[990 * kImageSize]),
         "an image depends on its number alone");
  double sum = 0;
  for (float value : set.images) sum += value;
  Expect(std::fabs(sum - 105056.21) < 0.1,
         "the images are the known ones, sum " + std::to_string(sum));
  Expect(!std::equal(&set.images[0], &set.images[kImageSize], &set.images[10 * kImageSize]),
         "images of a class differ");
}

void TestForwardPass() {
  constexpr int kImages = 200;
  const DataSet set = MakeDataSet(0, kImages);
  const Weights weights = MakeWeights();
  const std::vector<float> scores = ForwardOnCpu(weights, set.images.data(), kImages).scores;
  Expect(scores.size() == size_t(kImages) * kClasses, "ten scores for an image");
  // A part at another position in a batch gives the same result, bit by bit.
  const std::vector<float> part =
      ForwardOnCpu(weights, &set.images[size_t(7) * kImageSize], 20).scores;
  Expect(std::equal(part.begin(), part.end(), &scores[7 * kClasses]),
         "the batch does not affect the result");
  uint64_t checksum = 0;
  for (int label : Classify(scores)) checksum = checksum * 31 + label;
  Expect(checksum == 16201712863620019334u,
         "the labels are the known ones, checksum " + std::to_string(checksum));
  const double accuracy = Accuracy(scores, set.labels);
  Expect(accuracy >= 0.93, "the classifier classifies, accuracy " + std::to_string(accuracy));
}

void TestAgreement() {
  const std::vector<float> expected = {0, 1, 2, 0, 0, 0, 0, 0, 0, -4};
  std::vector<float> scores = expected;
  scores.insert(scores.end(), 10, 0.0f);  // an image that is not compared
  Expect(Compare(scores, expected).largest_error == 0, "equal scores differ by nothing");
  scores[1] = 2.5f;
  const Agreement agreement = Compare(scores, expected);
  Expect(agreement.images == 1 && agreement.largest_error == 1.5 && agreement.largest_score == 4 &&
             agreement.equal_labels == 0,
         "differences are detected");
  scores[1] = NAN;
  Expect(std::isinf(Compare(scores, expected).largest_error), "NaN does not count as agreement");
}

void TestOptions() {
  const Options options =
      ParseOptions({"naive", "--images", "7", "--batch", "3", "--repeat", "2", "--check", "0"});
  Expect(options.variant == "naive" && options.images == 7 && options.batch == 3 &&
             options.repeat == 2 && options.check == 0,
         "options are read");
  const std::vector<std::vector<std::string>> wrong = {
      {},
      {"nonsense"},
      {"naive", "tiled"},
      {"naive", "--images"},
      {"naive", "--images", "0"},
      {"naive", "--images", "10x"},
      {"naive", "--repeat", "-1"},
      {"naive", "--batch", "99999999999"},
      {"naive", "--unknown"},
  };
  for (const std::vector<std::string>& arguments : wrong) {
    bool refused = false;
    try {
      ParseOptions(arguments);
    } catch (const UsageError&) {
      refused = true;
    }
    Expect(refused, "refused: " + (arguments.empty() ? "nothing" : arguments.back()));
  }
}

}  // namespace
}  // namespace cnn

int main() {
  cnn::TestLoopsFollowTheDefinition();
  cnn::TestIndexMath();
  cnn::TestDepthTableIsPaddedAndInside();
  cnn::TestShapesAreChecked();
  cnn::TestDataSet();
  cnn::TestForwardPass();
  cnn::TestAgreement();
  cnn::TestOptions();
  if (cnn::failures == 0) std::printf("all passed\n");
  return cnn::failures == 0 ? 0 : 1;
}
