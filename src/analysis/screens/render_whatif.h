#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/reporting/report.h"
#include "analysis/whatif/whatif_edits.h"

namespace warpsight {

// The result of a what-if.
struct WhatIfAnswer {
  DurationNs measured_step = 0;
  DurationNs replayed_step = 0;
  bool without_profiler = true;  // `before` and `after` do not include the profiler's cost
  int64_t steps = 1;             // of all ranks together
  std::vector<EditEffect> effects;
  Replay before, after;

  DurationNs Saving() const { return before.step - after.step; }
  double Speedup() const {
    return static_cast<double>(before.step) /
           static_cast<double>(after.step > 0 ? after.step : DurationNs{1});
  }
};

// Replays a scenario to which edits with these effects were applied.
WhatIfAnswer Answer(const Scenario& scenario, Recording recording, std::vector<EditEffect> effects);

std::string RenderWhatIfText(ProfileView profile, const WhatIfAnswer& answer,
                             const TextStyle& style);
// One object; docs/advice.md describes its fields.
std::string RenderWhatIfJson(const WhatIfAnswer& answer);

// A critical path: nanoseconds per step, by part.
std::string JsonPath(const std::array<DurationNs, kPathPartCount>& path);

}  // namespace warpsight
