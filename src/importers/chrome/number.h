#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/units.h"

namespace warpsight::importers::chrome {

// Numbers as written in the JSON text. Traces print microseconds with three decimals and exceed
// 2^53 ns, so they are parsed as digits, never through a double. Surrounding white space and quotes
// are accepted; anything else gives nullopt.

// A decimal number of microseconds in nanoseconds; further digits are rounded. Nullopt also beyond
// +-2^61 ns, where sums of times could overflow.
std::optional<int64_t> ParseMicroseconds(std::string_view token);

// An integer (a fraction of zero is accepted) within int64.
std::optional<int64_t> ParseInteger(std::string_view token);

// An id: an integer, where what only fits 64 bits without a sign wraps (writers print -1 like
// that), or a hexadecimal number as in "0x1f".
std::optional<int64_t> ParseId(std::string_view token);

std::optional<double> ParseReal(std::string_view token);

}  // namespace warpsight::importers::chrome
