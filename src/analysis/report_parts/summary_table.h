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

// To one decimal as SQLite rounds it, which Nsight Systems computes its averages and shares with:
// a half goes up (2.25 to 2.3), where printing alone would take it to the even digit.
double ToOneDecimal(double value);

// Average, median, smallest, largest, standard deviation.
void AppendSpread(const Statistics& statistics, std::vector<Cell>& cells);
// The same in millions: bytes as MB.
void AppendSpreadInMillions(const Statistics& statistics, std::vector<Cell>& cells);
// The same five as missing values.
void AppendNoSpread(std::vector<Cell>& cells);

// The place of a row of a trace's table, whose ids are `Id`s.
template <typename Id>
RowLink PlaceOfRow(size_t row) {
  return RowLink::To(MakeId<Id>(row));
}
using PlaceOf = RowLink (*)(size_t row);

// Rows of a report with SummaryColumns: for each group its share of all groups' total, its
// statistics, and what `append_names(group, cells)` adds. Each leads to its longest instance, to
// `place(row)`.
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

// Where groups are names: WriteSummary in the order of totals, then of names, with a note about
// what the report covers, or `nothing` where there are no groups.
void WriteSummaryByName(const Trace& trace, const ValueGroups& groups, PlaceOf place,
                        std::string_view nothing, RowSink& sink);

}  // namespace warpsight
