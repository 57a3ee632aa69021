#include "self_test.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "conv_cpu.h"
#include "gpu.h"
#include "odd_shapes.h"
#include "variants.h"

namespace cnn {
namespace {

struct Case {
  ConvShape shape;
  std::vector<float> input;
  std::vector<float> weights;
  std::vector<float> expected;
};

std::string Describe(const ConvShape& shape) {
  char text[128];
  std::snprintf(text, sizeof text, "%d images, %d channels of %dx%d -> %d channels, window %d",
                shape.images, shape.in_channels, shape.height, shape.width, shape.out_channels,
                shape.kernel);
  return text;
}

std::vector<Case> MakeCases() {
  std::vector<Case> cases;
  for (const ConvShape& shape : OddShapes()) {
    Case test{shape, SmallIntegers(shape.input_size(), 1), SmallIntegers(shape.weight_size(), 2),
              std::vector<float>(shape.output_size())};
    ConvolveDirect(shape, test.input.data(), test.weights.data(), test.expected.data());
    cases.push_back(std::move(test));
  }
  return cases;
}

// Describes the error in the variant's result; empty if there is none.
std::string Compare(const Variant& variant, const Case& test) {
  std::vector<float> result;
  try {
    result = ConvolveOnGpu(variant.name, test.shape, test.input, test.weights);
  } catch (const std::exception& error) {
    return error.what();
  }
  float largest = 1;
  for (float value : test.expected) largest = std::max(largest, std::fabs(value));
  const float allowed = variant.exact_integers ? 0 : float(variant.tolerance) * largest;
  size_t wrong = 0;
  size_t first = 0;
  for (size_t i = 0; i < result.size(); ++i) {
    // The comparison is false for NaN, the value of outputs that were not written.
    if (std::fabs(result[i] - test.expected[i]) <= allowed) continue;
    if (wrong++ == 0) first = i;
  }
  if (wrong == 0) return "";
  char text[160];
  std::snprintf(text, sizeof text, "%zu of %zu wrong, the first at %zu: %g instead of %g", wrong,
                result.size(), first, result[first], test.expected[first]);
  return text;
}

}  // namespace

bool SelfTest(const std::string& only) {
  const std::vector<Case> cases = MakeCases();
  bool all_agree = true;
  for (const Variant& variant : Variants()) {
    if (!variant.on_gpu || (!only.empty() && only != variant.name)) continue;
    if (const std::string why = WhyNotBuilt(variant.name); !why.empty()) {
      std::printf("%-8s not built: %s\n", variant.name.c_str(), why.c_str());
      continue;
    }
    int agree = 0;
    for (const Case& test : cases) {
      const std::string problem = Compare(variant, test);
      if (problem.empty()) {
        ++agree;
      } else {
        std::printf("%-8s %s: %s\n", variant.name.c_str(), Describe(test.shape).c_str(),
                    problem.c_str());
      }
    }
    std::printf("%-8s %d of %zu shapes agree with the CPU%s\n", variant.name.c_str(), agree,
                cases.size(), variant.exact_integers ? ", exactly" : "");
    all_agree &= agree == int(cases.size());
  }
  return all_agree;
}

}  // namespace cnn
