#pragma once

#include <vector>

#include "analysis/aggregation/report_input.h"

namespace warpsight {

// How well one launch fills the multiprocessors; kMissingReal if unknown.
struct LaunchFill {
  double blocks_per_sm = kMissingReal;      // blocks / multiprocessors
  double occupancy_percent = kMissingReal;  // estimated achieved occupancy
};

// The recorded values, or those computed from the launch and the GPU's limits. XLA records the
// theoretical occupancy: it limits the achieved one, as does the number of threads per
// multiprocessor. Copies and memsets have no values.
LaunchFill FillOf(const Trace& trace, GpuId gpu);

// The mean over launches, weighted by duration.
struct MeanFill {
  void Add(const LaunchFill& fill, DurationNs duration);
  void Merge(const MeanFill& other);
  double BlocksPerSm() const { return Mean(blocks_, blocks_time_); }
  double OccupancyPercent() const { return Mean(occupancy_, occupancy_time_); }

 private:
  double Mean(double sum, DurationNs time) const;

  double blocks_ = 0;
  double occupancy_ = 0;
  DurationNs blocks_time_ = 0;
  DurationNs occupancy_time_ = 0;
  DurationNs all_time_ = 0;
};

// How well the kernels filled one GPU in the analyzed time, as defined by PyTorch's TensorBoard
// plugin (tb_plugin/docs/gpu_utilization.md in pytorch/kineto).
struct SmUse {
  double sm_efficiency_percent = kMissingReal;
  double occupancy_percent = kMissingReal;
  double blocks_per_sm = kMissingReal;
};

// One entry per device.
std::vector<SmUse> SmUses(const ReportInput& input);

}  // namespace warpsight
