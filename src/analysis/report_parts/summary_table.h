#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "analysis/report_parts/value_groups.h"
#include "analysis/reporting/report.h"

// Common parts of Nsight Systems' summary reports: columns and row order.
namespace warpsight {

inline constexpr std::string_view kWholeTraceNote =
    "Covers the whole trace, warm-up included, as Nsight Systems does.";

// Time (%), Total Time (ns), `count`, Avg (ns), Med (ns), Min (ns), Max (ns), StdDev (ns), `names`.
std::vector<ReportColumn> SummaryColumns(std::string_view count,
                                         std::initializer_list<ReportColumn> names);

// Rounds to one decimal like SQLite, with which Nsight Systems computes its averages and shares:
// halves are rounded up (2.25 to 2.3), while printing alone would round to the even digit.
double ToOneDecimal(double value);

// Appends average, median, smallest, largest, and standard deviation.
void AppendSpread(const Statistics& statistics, std::vector<Cell>& cells);
// The same in millions, for bytes as MB.
void AppendSpreadInMillions(const Statistics& statistics, std::vector<Cell>& cells);
// The same five as missing values.
void AppendNoSpread(std::vector<Cell>& cells);

// The place on the timeline of a row of a trace's table, whose ids have type `Id`.
template <typename Id>
RowLink PlaceOfRow(size_t row) {
  return RowLink::To(MakeId<Id>(row));
}
using PlaceOf = RowLink (*)(size_t row);

// Writes the rows of a report with SummaryColumns: for each group, its share of the total of all
// groups, its statistics, and the cells appended by `append_names(group, cells)`. Each row links to
// its longest instance, at `place(row)`.
template <typename Place, typename AppendNames>
void WriteSummary(const std::vector<ValueGroups::Group>& groups, Place place, RowSink& sink,
                  AppendNames append_names) {
  int64_t total = 0;
  for (const auto& group : groups) total += group.statistics.total;
  std::vector<Cell> cells;
  for (const auto& [number, statistics, largest] : groups) {
    cells.clear();
    cells.emplace_back(total == 0 ? 0.0
                                  : ToOneDecimal(100.0 * static_cast<double>(statistics.total) /
                                                 static_cast<double>(total)));
    cells.emplace_back(statistics.total);
    cells.emplace_back(statistics.count);
    AppendSpread(statistics, cells);
    append_names(number, cells);
    sink.Row(cells);
    sink.Link(place(largest));
  }
}

// For groups that are names: WriteSummary ordered by total, then by name, with a note about what
// the report covers, or `nothing` if there are no groups.
void WriteSummaryByName(const Trace& trace, const ValueGroups& groups, PlaceOf place,
                        std::string_view nothing, RowSink& sink);

}  // namespace warpsight
