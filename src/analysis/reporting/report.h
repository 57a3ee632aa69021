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
  std::string_view name;  // the header, with its unit as people know it: "Total Time (ns)"
  ColumnType type;
  std::string_view doc;  // one line: what the number is, and measured, derived or estimated
};

// A value; monostate is "not available". Yes/no cells are integers 1/0. Texts need to live only
// until Row() returns.
using Cell = std::variant<std::monostate, int64_t, double, std::string_view>;

// Takes the rows of a report one by one, in order.
class RowSink {
 public:
  virtual ~RowSink() = default;
  // The maximum number of rows, if there are many: a hint for sinks that store them.
  virtual void Expect(size_t /*rows*/) {}
  virtual void Row(std::span<const Cell> cells) = 0;
  // About the row given last; only the viewer's tables have a use for it.
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
  // For reports whose printed form is not a table (nvprof's layout, the summary); may be null.
  std::string (*text)(const ReportInput& input, const TextStyle& style) = nullptr;
};

std::vector<Report> AllReports();

}  // namespace warpsight
