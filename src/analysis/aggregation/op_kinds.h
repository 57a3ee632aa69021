#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/aggregation/op_table.h"

namespace warpsight {

// The ops of one type and direction. The one-screen report and the dashboard rank these, since a
// model has hundreds of ops but few types.
struct OpKind {
  std::string_view type;
  Direction direction = Direction::kForward;
  bool associated = false;  // otherwise GPU work without an op
  int64_t ops = 0;
  int64_t eligible_ops = 0;  // ops that can use Tensor Cores
  int64_t calls = 0;
  DurationNs gpu = 0;
  DurationNs cpu = 0;
  bool uses_tensor_cores = false;
  bool may_use_tensor_cores = false;
  uint32_t largest = 0;  // row in OpTable::ops() of the op with the most GPU time, then CPU time
};

// Ordered by descending GPU time, then CPU time. The texts belong to the table.
std::vector<OpKind> KindsOfOps(const OpTable& table);

}  // namespace warpsight
