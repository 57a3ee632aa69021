#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpsight::importers::nvprof {

// Splits a line of a CSV file into cells, without their quotes; "" inside quotes is a quote.
std::vector<std::string> SplitCsv(std::string_view line);

// Converts a number to ns (from "s", "ms", "us", "ns") or bytes (from "GB", "MB", "KB", "B", which
// are powers of 1024 in nvprof); unchanged if the unit is "". nullopt if it is not a number.
std::optional<int64_t> Scaled(std::string_view number, std::string_view unit);

}  // namespace warpsight::importers::nvprof
