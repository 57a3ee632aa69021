#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "analysis/reporting/render.h"

// What the formats share.
namespace warpsight {

// One format's rendering of one report: Begin, rows and notes in any order, End.
class Renderer : public RowSink {
 public:
  virtual void Begin() = 0;
  virtual void End() = 0;
};

std::unique_ptr<Renderer> MakeCsvRenderer(const Report& report, Output& output,
                                          char separator = ',');
std::unique_ptr<Renderer> MakeJsonRenderer(const Report& report, Output& output);
std::unique_ptr<Renderer> MakeMarkdownRenderer(const Report& report, Output& output);
std::unique_ptr<Renderer> MakeTextRenderer(const Report& report, const TextStyle& style,
                                           Output& output);

// Whether a cell holds nothing to show.
inline bool IsMissing(const Cell& cell) {
  if (const auto* value = std::get_if<int64_t>(&cell)) return *value == kMissing;
  if (const auto* value = std::get_if<double>(&cell)) return !std::isfinite(*value);
  return std::holds_alternative<std::monostate>(cell);
}

// The unit of a column: what its header has in brackets, else what its type implies; may be empty.
std::string_view UnitOf(const ReportColumn& column);

bool IsNumeric(const ReportColumn& column);

// A column's type as programs read it: "duration", "boolean".
std::string_view TypeName(ColumnType type);

// A value as text. Digits as Nsight Systems prints them: percentages and averages of nanoseconds
// with one decimal, megabytes with three. For people, numbers get thousands separators.
std::string FormatCell(const ReportColumn& column, const Cell& cell, bool for_people);

}  // namespace warpsight
