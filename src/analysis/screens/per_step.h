#pragma once

#include <algorithm>
#include <cstdint>

#include "analysis/accounting/range_summary.h"

namespace warpsight {

// The number of steps over which GPU time is averaged: those of each GPU that worked. A step is
// measured on one GPU, so with several GPUs in a process the sum of their times would exceed it.
inline int64_t GpuSteps(const RangeSummary& range) {
  if (range.gpus.empty()) return range.steps();
  return range.iterations() * static_cast<int64_t>(range.gpus.size());
}

}  // namespace warpsight
