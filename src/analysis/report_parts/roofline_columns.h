#pragma once

#include <optional>
#include <string_view>

#include "analysis/aggregation/roofline_table.h"
#include "analysis/reporting/report.h"

namespace warpsight {

// Columns for the basis of a cost.
inline constexpr ReportColumn kNumberFormatColumn{
    "Number Format", ColumnType::kText,
    "of its matrix products, otherwise of its inputs; tf32 if fp32 ran on Tensor Cores"};
inline constexpr ReportColumn kCostSourceColumn{
    "Source", ColumnType::kText,
    "estimated from shapes, measured by counters, or why it is unknown"};
Cell NumberFormatCell(const CostedWork& work);
Cell CostSourceCell(const CostedWork& work);

// Columns for hardware counters, and their cells.
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

// Cells are not available if the number is missing.
Cell RealCell(double value, double scale = 1);
Cell CountCell(double value);
Cell TextCell(std::string_view text);

}  // namespace warpsight
