#pragma once

#include <cstdint>
#include <limits>

namespace warpsight {

// Nanoseconds. In a sealed Trace a TimeNs counts from the trace's start.
using TimeNs = int64_t;
using DurationNs = int64_t;

// A number that is missing in the input. Never printed; stored as NULL.
inline constexpr int64_t kMissing = std::numeric_limits<int64_t>::min();
inline constexpr double kMissingReal = -1.0;  // for quantities that are never negative

}  // namespace warpsight
