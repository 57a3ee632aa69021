#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/aggregation/op_table.h"
#include "analysis/reporting/report.h"
#include "analysis/roofline/cost_model.h"
#include "analysis/roofline/measured_kernels.h"
#include "analysis/roofline/model_flops.h"

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

// Columns for what hardware counters say, and their cells.
inline constexpr ReportColumn kMeasuredBytesColumn{
    "Measured DRAM Bytes", ColumnType::kBytes,
    "read from and written to the GPU's memory by its kernels, from the hardware counters of such "
    "launches; empty unless all were measured"};
inline constexpr ReportColumn kMeasuredBandwidthColumn{
    "Measured Memory (%)", ColumnType::kPercent,
    "those bytes over the time of its kernels, of the GPU's memory bandwidth; measured"};
Cell MeasuredBytesCell(const MeasuredSum& counters);
Cell MeasuredBandwidthCell(const MeasuredSum& counters, const std::optional<GpuPeaks>& peaks);

// Sentences under the table: the peaks, the model FLOPs of a step, and how much of the GPU time has
// a known cost.
void NoteAboutRoofline(const ReportInput& input, const CostModel& model, const RooflineTable& table,
                       RowSink& sink);

// Cells: not available where the number is missing.
Cell RealCell(double value, double scale = 1);
Cell CountCell(double value);
Cell TextCell(std::string_view text);
Cell FormatCell(Precision precision);

}  // namespace warpsight
