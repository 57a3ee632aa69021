#pragma once

#include <cstdint>
#include <vector>

#include "analysis/aggregation/op_table.h"
#include "analysis/reporting/report.h"

// Columns that DLProf's reports share, with DLProf's spelling.
namespace warpsight {

inline constexpr ReportColumn kOpIdColumn{
    "Op ID", ColumnType::kText, "type in capitals and number of the op among those of its type"};
inline constexpr ReportColumn kOpNameColumn{"Op Name", ColumnType::kText,
                                            "module path and name of the op"};
inline constexpr ReportColumn kDirectionColumn{"Direction", ColumnType::kText,
                                               "fprop, bprop, optimizer or data loading; derived"};
inline constexpr ReportColumn kOpTypeColumn{"Op Type", ColumnType::kText,
                                            "name of the op without the namespace aten"};
inline constexpr ReportColumn kDataTypeColumn{"Data Type", ColumnType::kText,
                                              "types of the inputs of its first call; measured"};

// The items over which an average, minimum or maximum of those columns is taken.
enum class TimesOf : uint8_t { kCalls, kIterations };
// `before`, then {Total, Avg., Min, Max} x {CPU Time, GPU Time, CPU Overhead, GPU Idle}, `after`.
std::vector<ReportColumn> WithTimeColumns(std::vector<ReportColumn> before,
                                          const std::vector<ReportColumn>& after = {},
                                          TimesOf of = TimesOf::kCalls);

// The cells of those sixteen columns.
void AppendTimes(const OpTimes& times, std::vector<Cell>& cells);
// Total, average, minimum and maximum; not available if nothing was counted.
void AppendTally(const Tally& tally, std::vector<Cell>& cells);

inline Cell YesNo(bool yes) { return static_cast<int64_t>(yes ? 1 : 0); }
// Not available if the use is unknown.
inline Cell YesNo(TensorCores use) {
  return use == TensorCores::kUnknown ? Cell() : YesNo(use == TensorCores::kYes);
}
// A number from a table; not available if it is missing.
inline Cell Known(int64_t value) { return value == kMissing ? Cell() : Cell(value); }
// Not available for work without an op.
Cell DirectionOf(const Op& op);

}  // namespace warpsight
