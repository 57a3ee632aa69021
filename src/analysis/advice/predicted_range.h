#pragma once

#include <string_view>

namespace warpsight {

struct SpeedupRange {
  double low = 1;
  double high = 1;
};

// The range in which the measured speed-up of a change lies in about 80 % of cases, given the
// predicted one: docs/advice.md, "Ranges".
SpeedupRange PredictedRange(std::string_view rule, double speedup);

}  // namespace warpsight
