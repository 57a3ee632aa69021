#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/units.h"

namespace warpsight::importers::chrome {

// Numbers as written in the JSON text. Traces print microseconds with three decimals and exceed
// 2^53 ns, so they are parsed as digits, never through a double. Surrounding white space and quotes
// are accepted; anything else gives nullopt.

// Converts a decimal number of microseconds to nanoseconds, rounding further digits. Also nullopt
// beyond +-2^61 ns, where sums of times could overflow.
std::optional<int64_t> ParseMicroseconds(std::string_view token);

// An integer in the range of int64; a fraction of zero is accepted.
std::optional<int64_t> ParseInteger(std::string_view token);

// An id: an integer, or a hexadecimal number such as "0x1f". Integers that fit only into unsigned
// 64 bits wrap around, since writers print -1 that way.
std::optional<int64_t> ParseId(std::string_view token);

std::optional<double> ParseReal(std::string_view token);

}  // namespace warpsight::importers::chrome
