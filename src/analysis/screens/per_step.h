#pragma once

#include <algorithm>
#include <cstdint>

#include "analysis/accounting/range_summary.h"

namespace warpsight {

// Over how many steps GPU time is averaged: those of each GPU that worked. A step lasts as long as
// it takes one GPU, so that with several in a process their sum would exceed it.
inline int64_t GpuSteps(const RangeSummary& range) {
  if (range.gpus.empty()) return range.steps();
  return range.iterations() * static_cast<int64_t>(range.gpus.size());
}

}  // namespace warpsight
