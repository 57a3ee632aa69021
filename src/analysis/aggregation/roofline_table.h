#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/aggregation/op_table.h"
#include "analysis/aggregation/report_input.h"
#include "analysis/roofline/cost_model.h"
#include "analysis/roofline/measured_kernels.h"

namespace warpsight {

// Calls of an op, or runs of a kernel for an op, with what they cost.
struct CostedWork {
  int64_t calls = 0;
  DurationNs time = 0;  // on the GPU
  // Of those whose cost is known:
  OpCost cost;
  int64_t known_calls = 0;
  DurationNs known_time = 0;
  double speed_of_light_ns = 0;  // kMissingReal where the GPU's peaks are not known
  // Why the cost of the last other one is not.
  CostGap gap = CostGap::kNone;
  // What hardware counters say about the kernels of all of them, beside what shapes say.
  MeasuredSum counters;

  // Whether the known calls are most of the time; what they cost says little otherwise.
  bool known() const { return known_calls > 0 && known_time >= time - known_time; }
  void Add(const OpCost& added, DurationNs duration, const std::optional<GpuPeaks>& peaks);
  Roofline Against(const std::optional<GpuPeaks>& peaks) const;
  // Time that is lost against the speed of light; kMissingReal where that is not known.
  double Potential() const;
};

struct CostedKernel {
  StringId name = StringId::kEmpty;
  GpuKind kind = GpuKind::kKernel;
  uint32_t op = 0;  // row in OpTable::ops()
  CostedWork work;
  GpuId longest = kNone<GpuId>;  // the first of its longest runs
};

// What the ops of the aggregated iterations cost: one entry per op of an OpTable, and one per
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
