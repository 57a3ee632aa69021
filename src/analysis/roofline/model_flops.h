#pragma once

#include <cstdint>
#include <string>

#include "analysis/accounting/range_summary.h"
#include "analysis/roofline/cost_model.h"

namespace warpsight {

// The arithmetic of the aggregated iterations as a whole.
struct ModelFlops {
  double flops_per_iteration = kMissingReal;  // matrix products, forward and backward, all GPUs
  double utilization = kMissingReal;          // MFU: flops / (step time · peak · GPUs)
  double rate = kMissingReal;                 // FLOP/s of one GPU over the step
  double peak = kMissingReal;
  Precision precision = Precision::kUnknown;  // the number format of most of it
  int64_t gpus = 0;
  std::string reason;  // why a number is missing; otherwise empty
};

ModelFlops ComputeModelFlops(ProfileView profile, const RangeSummary& range,
                             const CostModel& model);

// "6.61 TFLOP of matrix products per iteration, 162 TFLOP/s: MFU 16.4 % of the bf16 peak of …", or
// why that is unknown.
std::string DescribeModelFlops(const ModelFlops& flops);

}  // namespace warpsight
