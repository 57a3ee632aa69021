#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace warpsight {

// The meaning of a number, which determines its allowed values.
enum class Quantity : uint8_t {
  kIdentifier,  // only ever compared: any value
  kNumber,      // counts from 0 or is -1 for none: at most kLargestLaunch
  kCount,       // not negative, at most kLargestCount, the column's sum at most kLargestTotal
  kChange,      // a count that may be negative
  kTime,        // between the trace's start and kLatestEnd
  kDuration,    // not negative, at most kLatestEnd, the column's sum at most kLargestTotal
  kTotal,       // a sum of durations or counts: not negative, at most kLargestTotal
  kPart,        // a sum over rows of two other tables at most: not negative, at most twice
                // kLargestTotal, as is the column's sum
  kFlag,        // 0 or 1
  kReal,        // not negative, finite, at most kLargestCount
};

enum class Presence : uint8_t { kOptional, kRequired };

// The rule for one column of numbers. Every such column of the model has exactly one.
struct NumberRule {
  std::string_view table;
  std::string_view column;
  Quantity quantity;
  Presence presence;
};

std::span<const NumberRule> NumberRules();
// The rule must exist.
const NumberRule& NumberRuleOf(std::string_view table, std::string_view column);

}  // namespace warpsight
