#pragma once

#include <cstdint>
#include <string_view>

#include "model/trace_builder.h"

namespace warpsight {

// Numbers beyond these are taken for damage; sums and products of those within do not overflow.
inline constexpr int64_t kLargestCount = int64_t{1} << 53;   // bytes, elements
inline constexpr int64_t kLargestLaunch = int64_t{1} << 32;  // blocks, threads, registers

// Slices longer than three days are taken for damage.
inline constexpr DurationNs kLongestSlice = DurationNs{1} << 48;

inline bool IsWithin(int64_t low, int64_t value, int64_t high) {
  return value == kMissing || (value >= low && value <= high);
}
// What the import log says of others.
inline constexpr std::string_view kAbsurdNumber = "absurd_number";
inline constexpr std::string_view kAbsurdNumberMessage =
    "a number is out of all bounds; it was left out";

// `value` if it is within [low, high], or missing; else missing, which is logged with the place in
// the file.
inline int64_t Within(int64_t low, int64_t value, int64_t high, TracePart& part,
                      int64_t offset = kMissing) {
  if (IsWithin(low, value, high)) return value;
  part.Log(kAbsurdNumber, offset, kAbsurdNumberMessage);
  return kMissing;
}

}  // namespace warpsight
