#pragma once

#include <cstdint>
#include <string>

#include "base/units.h"

// Numbers for people. Tables for programs (CSV, JSON) do not use these.
namespace warpsight {

// "1,234,567"
std::string FormatCount(int64_t value);

// "1,234.5": fixed decimals with thousands separators.
std::string FormatFixed(double value, int decimals);

// "0.125", "12.3", "3.0": at least one decimal and at most three, fewer for large values; below
// 0.001 three significant digits. Without thousands separators.
std::string FormatReal(double value);

// "12.3 ms": three significant digits in ns, µs, ms or s; whole seconds from 100 s on.
std::string FormatDuration(double ns);

// "1.50 GB": three significant digits, with powers of 1000 as in Nsight Systems.
std::string FormatBytes(double bytes);

// "12.3 %" for a part of a whole; "n/a" if the whole is 0. A part above 0 is never shown as 0
// ("<0.1 %"), and an incomplete one never as 100 % (">99.9 %").
std::string FormatShare(double part, double whole);

}  // namespace warpsight
