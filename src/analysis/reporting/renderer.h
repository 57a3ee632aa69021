#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "analysis/reporting/render.h"

// Code shared by the formats.
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

// Whether a cell has nothing to show.
inline bool IsMissing(const Cell& cell) {
  if (const auto* value = std::get_if<int64_t>(&cell)) return *value == kMissing;
  if (const auto* value = std::get_if<double>(&cell)) return !std::isfinite(*value);
  return std::holds_alternative<std::monostate>(cell);
}

// The unit of a column: the one in brackets in its header, otherwise that of its type; may be
// empty.
std::string_view UnitOf(const ReportColumn& column);

bool IsNumeric(const ReportColumn& column);

// The type of a column for programs: "duration", "boolean".
std::string_view TypeName(ColumnType type);

// A value as text, with the decimals of Nsight Systems: one for percentages and averages of
// nanoseconds, three for megabytes. For people, numbers get thousands separators.
std::string FormatCell(const ReportColumn& column, const Cell& cell, bool for_people);

}  // namespace warpsight
