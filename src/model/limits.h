#pragma once

#include <cstdint>
#include <string_view>

#include "base/units.h"

// How large the numbers of a trace may be, so that what is computed from them cannot overflow.
// Importers leave out what lies beyond; Seal() and loading a profile check it.
namespace warpsight {

inline constexpr int64_t kLargestCount = int64_t{1} << 53;   // bytes, elements; exact in a double
inline constexpr int64_t kLargestLaunch = int64_t{1} << 32;  // blocks, threads, registers

// The spread of a trace's starts, 104 days, and the longest slice, 78 hours.
inline constexpr DurationNs kLongestTrace = DurationNs{1} << 53;
inline constexpr DurationNs kLongestSlice = DurationNs{1} << 48;
// What starts last may be one of the longest; ranges that importers put together span a trace.
inline constexpr TimeNs kLatestEnd = 2 * kLongestTrace;

// A trace's start on its own clock and in Unix time: their difference fits as well.
inline constexpr int64_t kLargestOrigin = (int64_t{1} << 62) - 1;

// The sum of a column, 36 years of durations: reports add up at most a few of them.
inline constexpr int64_t kLargestTotal = int64_t{1} << 60;

// What the import log says of numbers beyond these.
inline constexpr std::string_view kAbsurdNumber = "absurd_number";
inline constexpr std::string_view kAbsurdNumberMessage =
    "a number is out of all bounds; it was left out";

}  // namespace warpsight
