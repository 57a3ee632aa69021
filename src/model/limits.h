#pragma once

#include <cstdint>
#include <string_view>

#include "base/units.h"

// The limits of numbers in a trace, chosen so that computations cannot overflow. Importers drop
// numbers beyond them; Seal() and loading a profile check them.
namespace warpsight {

inline constexpr int64_t kLargestCount = int64_t{1} << 53;   // bytes, elements; exact in a double
inline constexpr int64_t kLargestLaunch = int64_t{1} << 32;  // blocks, threads, registers

// The largest difference between two starts in a trace, 104 days, and the longest slice, 78 hours.
inline constexpr DurationNs kLongestTrace = DurationNs{1} << 53;
inline constexpr DurationNs kLongestSlice = DurationNs{1} << 48;
// The last slice to start may be one of the longest; ranges merged by importers may span a trace.
inline constexpr TimeNs kLatestEnd = 2 * kLongestTrace;

// A trace's start on its own clock and in Unix time: their difference fits as well.
inline constexpr int64_t kLargestOrigin = (int64_t{1} << 62) - 1;

// The sum of a column, 36 years of durations: reports sum at most a few columns.
inline constexpr int64_t kLargestTotal = int64_t{1} << 60;

// The import log message for numbers beyond these limits.
inline constexpr std::string_view kAbsurdNumber = "absurd_number";
inline constexpr std::string_view kAbsurdNumberMessage =
    "a number is out of range; it was left out";

}  // namespace warpsight
