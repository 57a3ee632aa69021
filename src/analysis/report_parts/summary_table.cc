#include "analysis/report_parts/summary_table.h"

#include <cmath>

namespace warpsight {

std::vector<ReportColumn> SummaryColumns(std::string_view count,
                                         std::initializer_list<ReportColumn> names) {
  std::vector<ReportColumn> columns = {
      {"Time (%)", ColumnType::kPercent, "share of the sum of the listed total times; derived"},
      {"Total Time (ns)", ColumnType::kDurationNs, "sum of the durations; measured"},
      {count, ColumnType::kInteger, "how many there were in the whole trace; measured"},
      {"Avg (ns)", ColumnType::kDurationNs, "mean duration; measured"},
      {"Med (ns)", ColumnType::kDurationNs, "median duration, mean of the middle two; measured"},
      {"Min (ns)", ColumnType::kDurationNs, "shortest duration; measured"},
      {"Max (ns)", ColumnType::kDurationNs, "longest duration; measured"},
      {"StdDev (ns)", ColumnType::kDurationNs,
       "standard deviation of the sample of durations (n - 1), 0 for a single one; measured"},
  };
  columns.insert(columns.end(), names.begin(), names.end());
  return columns;
}

double ToOneDecimal(double value) { return std::floor(value * 10 + 0.5) / 10; }

void AppendSpread(const Statistics& statistics, std::vector<Cell>& cells) {
  cells.emplace_back(ToOneDecimal(statistics.average));
  cells.emplace_back(ToOneDecimal(statistics.median));
  cells.emplace_back(statistics.min);
  cells.emplace_back(statistics.max);
  cells.emplace_back(ToOneDecimal(statistics.deviation));
}

void AppendSpreadInMillions(const Statistics& statistics, std::vector<Cell>& cells) {
  constexpr double kMillion = 1e6;
  cells.emplace_back(statistics.average / kMillion);
  cells.emplace_back(statistics.median / kMillion);
  cells.emplace_back(static_cast<double>(statistics.min) / kMillion);
  cells.emplace_back(static_cast<double>(statistics.max) / kMillion);
  cells.emplace_back(statistics.deviation / kMillion);
}

void AppendNoSpread(std::vector<Cell>& cells) { cells.resize(cells.size() + 5); }

void WriteSummaryByName(const Trace& trace, const ValueGroups& groups, PlaceOf place,
                        std::string_view nothing, RowSink& sink) {
  const auto name_of = [&](size_t number) { return trace.Text(MakeId<StringId>(number)); };
  const auto summary =
      groups.Summarize([&](size_t a, size_t b) { return name_of(a) < name_of(b); });
  sink.Note(summary.empty() ? nothing : kWholeTraceNote);
  WriteSummary(summary, place, sink, [&](size_t number, std::vector<Cell>& cells) {
    cells.emplace_back(name_of(number));
  });
}

}  // namespace warpsight
