#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpsight::importers::nvprof {

// One line of a CSV file as its cells, without their quotes; "" within quotes is a quote.
std::vector<std::string> SplitCsv(std::string_view line);

// A number times what its unit is: ns for "s", "ms", "us", "ns"; bytes for "GB", "MB", "KB", "B",
// which are powers of 1024 there; plain where the unit is "". nullopt if it is not a number.
std::optional<int64_t> Scaled(std::string_view number, std::string_view unit);

}  // namespace warpsight::importers::nvprof
