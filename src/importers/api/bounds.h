#pragma once

#include "model/trace_builder.h"

namespace warpsight {

// Numbers beyond these are taken for damage; sums and products of those within do not overflow.
inline constexpr int64_t kLargestCount = int64_t{1} << 53;   // bytes, elements
inline constexpr int64_t kLargestLaunch = int64_t{1} << 32;  // blocks, threads, registers

// `value` if it is within [low, high], or missing; else missing, which is logged with the place in
// the file.
inline int64_t Within(int64_t low, int64_t value, int64_t high, TracePart& part,
                      int64_t offset = kMissing) {
  if (value == kMissing || (value >= low && value <= high)) return value;
  part.Log("absurd_number", offset, "a number is out of all bounds; it was left out");
  return kMissing;
}

}  // namespace warpsight
