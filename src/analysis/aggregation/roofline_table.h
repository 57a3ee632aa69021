#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/aggregation/op_table.h"
#include "analysis/aggregation/report_input.h"
#include "analysis/roofline/cost_model.h"
#include "analysis/roofline/measured_kernels.h"

namespace warpsight {

// Calls of an op, or runs of a kernel for an op, with their costs.
struct CostedWork {
  int64_t calls = 0;
  DurationNs time = 0;  // on the GPU
  // The sums over calls with a known cost:
  OpCost cost;
  int64_t known_calls = 0;
  DurationNs known_time = 0;
  double speed_of_light_ns = 0;  // kMissingReal if the GPU's peaks are unknown
  // Why the cost of the last other call is unknown.
  CostGap gap = CostGap::kNone;
  // Hardware counters of all kernels of these calls, in addition to the estimates from shapes.
  MeasuredSum counters;

  // Whether the calls with a known cost take most of the time; otherwise their cost is not
  // representative.
  bool known() const { return known_calls > 0 && known_time >= time - known_time; }
  void Add(const OpCost& added, DurationNs duration, const std::optional<GpuPeaks>& peaks);
  Roofline Against(const std::optional<GpuPeaks>& peaks) const;
  // GPU time beyond the speed of light; kMissingReal if that is unknown.
  double Potential() const;
};

struct CostedKernel {
  StringId name = StringId::kEmpty;
  GpuKind kind = GpuKind::kKernel;
  uint32_t op = 0;  // row in OpTable::ops()
  CostedWork work;
  GpuId longest = kNone<GpuId>;  // the first of its longest runs
};

// The costs of the ops of the aggregated iterations: one entry per op of an OpTable, and one per
// kernel and op. Linear in the size of the trace.
class RooflineTable {
 public:
  RooflineTable(const ReportInput& input, const OpTable& ops, const CostModel& model);

  const std::vector<CostedWork>& ops() const { return ops_; }
  const std::vector<CostedKernel>& kernels() const { return kernels_; }

 private:
  std::vector<CostedWork> ops_;
  std::vector<CostedKernel> kernels_;
};

}  // namespace warpsight
