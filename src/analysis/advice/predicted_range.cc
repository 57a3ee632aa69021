#include "analysis/advice/predicted_range.h"

#include <algorithm>
#include <array>

namespace warpsight {
namespace {

// How a rule's predictions compare with measured changes. All figures were chosen so that 80 % of
// the 40 changes of docs/advice.md lie in the range.
struct Spread {
  std::string_view rule;
  double least_gain;  // the share of the predicted gain that remains at the lower end
  double most;        // the factor to the speed-up at the upper end
};

// The change removes nearly all of the host's work. What remains is hard to predict: parts that
// cannot be captured, the optimizer, the rate of the loader's workers.
constexpr std::array kUncertain = {
    Spread{"cuda-graphs", 0.3, 1.1},
    Spread{"host-bound", 0.3, 1.1},
    Spread{"input-bound", 0.3, 1.4},
};
constexpr Spread kOthers = {"", 0.8, 1.25};

}  // namespace

SpeedupRange PredictedRange(std::string_view rule, double speedup) {
  const auto* found = std::ranges::find(kUncertain, rule, &Spread::rule);
  const Spread& spread = found == kUncertain.end() ? kOthers : *found;
  const double gain = std::max(0.0, speedup - 1);
  return {1 + spread.least_gain * gain, spread.most * (1 + gain)};
}

}  // namespace warpsight
