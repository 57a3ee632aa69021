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
  bool associated = false;  // otherwise GPU work that no op started
  int64_t ops = 0;
  int64_t eligible_ops = 0;  // that do what Tensor Cores can do
  int64_t calls = 0;
  DurationNs gpu = 0;
  DurationNs cpu = 0;
  bool uses_tensor_cores = false;
  bool may_use_tensor_cores = false;
  uint32_t largest = 0;  // row in OpTable::ops() with most GPU time, then CPU time
};

// By falling GPU time, then falling CPU time. The texts are the table's.
std::vector<OpKind> KindsOfOps(const OpTable& table);

}  // namespace warpsight
