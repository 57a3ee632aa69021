#include <cmath>
#include <cstdint>
#include <iterator>
#include <vector>

#include "network.h"
#include "random.h"

namespace cnn {
namespace {

// kHeadWeights [kHidden][kClasses] and kHeadBias [kClasses].
#include "head_weights.inc"

static_assert(std::size(kHeadWeights) == kHidden * kClasses);
static_assert(std::size(kHeadBias) == kClasses);

// Uniform with the variance 2 / inputs, which keeps the size of activations from layer to layer (He
// et al. 2015).
std::vector<float> RandomLayer(uint64_t seed, int inputs, size_t size) {
  Random random(seed);
  const float limit = std::sqrt(6.0f / float(inputs));
  std::vector<float> layer(size);
  for (float& weight : layer) weight = random.Uniform(-limit, limit);
  return layer;
}

}  // namespace

Weights MakeWeights() {
  const ConvShape conv1 = Conv1(1);
  const ConvShape conv2 = Conv2(1);
  return {
      RandomLayer(1, conv1.depth(), conv1.weight_size()),
      RandomLayer(2, conv2.depth(), conv2.weight_size()),
      RandomLayer(3, kFeatures, size_t(kFeatures) * kHidden),
      {std::begin(kHeadWeights), std::end(kHeadWeights)},
      {std::begin(kHeadBias), std::end(kHeadBias)},
  };
}

}  // namespace cnn
