#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "analysis/aggregation/report_input.h"
#include "analysis/aggregation/row_link.h"
#include "analysis/text/text_style.h"

namespace warpsight {

enum class ColumnType { kText, kInteger, kReal, kDurationNs, kBytes, kPercent, kYesNo };

// A column of a report. Text tables, CSV, JSON and Markdown all derive from it.
struct ReportColumn {
  std::string_view name;  // the header, usually with the unit: "Total Time (ns)"
  ColumnType type;
  std::string_view doc;  // one line: what it is, and whether it is measured, derived or estimated
};

// A value; monostate is "not available". Texts need to be valid only until Row() returns.
using Cell = std::variant<std::monostate, int64_t, double, std::string_view>;

// Receives the rows of a report one by one, in order.
class RowSink {
 public:
  virtual ~RowSink() = default;
  // The maximum number of rows, if there are many; a hint for sinks that store them.
  virtual void Expect(size_t /*rows*/) {}
  virtual void Row(std::span<const Cell> cells) = 0;
  // The place on the timeline of the last row; only the viewer's tables use it.
  virtual void Link(const RowLink& /*link*/) {}
  // A sentence to print with the table, such as a limitation, or why it is empty.
  virtual void Note(std::string_view text) = 0;
};

// One report. Each file of analysis/reports/ defines one, in reports::<file>::Define(); the build
// lists them (AllReports).
struct Report {
  std::string_view id;
  std::string_view title;
  std::string_view description;  // one line for `warpsight report --list`
  std::vector<ReportColumn> columns;
  void (*compute)(const ReportInput& input, RowSink& sink);
  // For reports that are not printed as a table (nvprof's layout, the summary); may be null.
  std::string (*text)(const ReportInput& input, const TextStyle& style) = nullptr;
};

std::vector<Report> AllReports();

}  // namespace warpsight
