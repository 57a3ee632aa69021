#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/units.h"

namespace warpsight {

// The order of slices on a timeline: by start, then longer (enclosing) slices first, then in the
// given order. Linear time: a radix sort on the bits that differ.
std::vector<uint32_t> TimelineOrder(std::span<const TimeNs> start,
                                    std::span<const DurationNs> duration);

}  // namespace warpsight
