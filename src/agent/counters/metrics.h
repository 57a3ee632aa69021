#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace warpsight::agent {

// What is counted of a launch.
enum class Counting : uint8_t {
  kEverything,
  // Without instructions, so that one pass does: memory need not be put back for a second one,
  // which would leave its traces in the cache and so in the bytes.
  kTimeAndBytes,
};

// The metrics to read on a chip, of those whose base names ("dram__bytes_read") it has: time,
// cycles, bytes of DRAM, and instructions of the Tensor Cores by kind, whose names differ between
// generations. One that a chip lacks is never asked for: a single unknown name spoils CUPTI's
// object.
std::vector<std::string> MetricsFor(const std::unordered_set<std::string_view>& base_names,
                                    Counting counting);

// A value as it is written: in millionths. Nothing where it is none: not a number, negative, or
// beyond what can be written.
std::optional<int64_t> ToMicros(double value);

// Whether all values can be written. CUPTI gives none for a metric that was not counted.
bool AreNumbers(std::span<const double> values);

// Whether the decoded values can only belong to the one launched kernel. CUPTI numbers ranges in
// the order in which kernels reach the GPU, without names; any other count means that something
// else ran as well or that nothing was counted, and values would be assigned to a wrong kernel.
bool IsOneKernel(size_t ranges, size_t dropped);

}  // namespace warpsight::agent
