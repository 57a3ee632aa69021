#include "agent/counters/metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>

namespace warpsight::agent {
namespace {

// Names from CUPTI 13.0.1's lists for Turing (TU102) to Blackwell (GB100, GB202).
constexpr std::array<std::string_view, 4> kOnEveryChip = {
    "gpu__time_duration.sum",
    "sm__cycles_active.avg",
    "sm__cycles_elapsed.avg",
    "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed",
};
constexpr std::array<std::string_view, 9> kMatrixInstructions = {
    "sm__inst_executed_pipe_tensor_op_gmma.sum",             // Hopper
    "sm__inst_executed_pipe_tensor_op_hmma.sum",             // Turing to Hopper
    "sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum",  // no matrix: part of hmma
    "sm__inst_executed_pipe_tensor_op_imma.sum",
    "sm__inst_executed_pipe_tensor_op_dmma.sum",
    "sm__inst_executed_pipe_tensor_subpipe_hmma.sum",  // Blackwell
    "sm__inst_executed_pipe_tensor_subpipe_imma.sum",
    "sm__inst_executed_pipe_tensor_subpipe_dmma.sum",
    "sm__inst_executed_pipe_tc.sum",  // Blackwell's tcgen05
};

}  // namespace

std::vector<std::string> MetricsFor(const std::unordered_set<std::string_view>& base_names,
                                    Counting counting) {
  std::vector<std::string> metrics;
  const auto add = [&](std::string_view name) {
    if (!base_names.contains(name.substr(0, name.find('.')))) return false;
    metrics.emplace_back(name);
    return true;
  };
  const auto add_first_of = [&](std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
      if (add(name)) return;
    }
  };
  for (const std::string_view name : kOnEveryChip) add(name);
  add_first_of({"dram__bytes_read.sum", "dram__bytes_op_read.sum"});
  add_first_of({"dram__bytes_write.sum", "dram__bytes_op_write.sum"});
  if (counting == Counting::kTimeAndBytes) return metrics;
  bool matrix = false;
  for (const std::string_view name : kMatrixInstructions) matrix = add(name) || matrix;
  if (!matrix) add("sm__inst_executed_pipe_tensor.sum");
  return metrics;
}

std::optional<int64_t> ToMicros(double value) {
  constexpr double kMost = 9e12;  // times a million: just within 64 bits
  if (!(value >= 0) || value > kMost) return std::nullopt;
  return std::llround(value * 1e6);
}

bool AreNumbers(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return ToMicros(value).has_value(); });
}

bool IsOneKernel(size_t ranges, size_t dropped) { return ranges == 1 && dropped == 0; }

}  // namespace warpsight::agent
