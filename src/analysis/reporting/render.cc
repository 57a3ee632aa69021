#include "analysis/reporting/render.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <tuple>
#include <variant>

#include "analysis/reporting/renderer.h"
#include "analysis/text/format.h"

namespace warpsight {
namespace {

struct FormatName {
  ReportFormat format;
  std::string_view name;
  std::string_view extension;
};

constexpr FormatName kFormats[] = {
    {ReportFormat::kText, "text", "txt"},
    {ReportFormat::kCsv, "csv", "csv"},
    {ReportFormat::kJson, "json", "json"},
    {ReportFormat::kMarkdown, "md", "md"},
};

std::unique_ptr<Renderer> MakeRenderer(const Report& report, ReportFormat format,
                                       const TextStyle& style, Output& output) {
  switch (format) {
    case ReportFormat::kCsv:
      return MakeCsvRenderer(report, output);
    case ReportFormat::kJson:
      return MakeJsonRenderer(report, output);
    case ReportFormat::kMarkdown:
      return MakeMarkdownRenderer(report, output);
    case ReportFormat::kText:
      break;
  }
  return MakeTextRenderer(report, style, output);
}

// The number of decimals of a real number; negative: as many as needed.
int DecimalsOf(const ReportColumn& column) {
  switch (column.type) {
    case ColumnType::kPercent:
    case ColumnType::kDurationNs:
      return 1;
    case ColumnType::kBytes:
      return 0;
    default:
      return UnitOf(column) == "MB" ? 3 : -1;
  }
}

}  // namespace

std::optional<ReportFormat> ParseReportFormat(std::string_view name) {
  for (const FormatName& format : kFormats) {
    if (format.name == name) return format.format;
  }
  return std::nullopt;
}

std::string ReportFileName(const Report& report, ReportFormat format) {
  return fmt::format("{}.{}", report.id, kFormats[static_cast<size_t>(format)].extension);
}

void RenderReport(const Report& report, const ReportInput& input, ReportFormat format,
                  const TextStyle& style, Output& output) {
  if (format == ReportFormat::kText && report.text != nullptr) {
    output.Write(report.text(input, style));
    return;
  }
  const auto renderer = MakeRenderer(report, format, style, output);
  renderer->Begin();
  report.compute(input, *renderer);
  renderer->End();
}

std::string_view UnitOf(const ReportColumn& column) {
  const size_t open = column.name.rfind('(');
  if (open != std::string_view::npos && column.name.ends_with(')')) {
    return column.name.substr(open + 1, column.name.size() - open - 2);
  }
  switch (column.type) {
    case ColumnType::kDurationNs:
      return "ns";
    case ColumnType::kBytes:
      return "B";
    case ColumnType::kPercent:
      return "%";
    default:
      return "";
  }
}

bool IsNumeric(const ReportColumn& column) {
  return column.type != ColumnType::kText && column.type != ColumnType::kYesNo;
}

std::string FormatCell(const ReportColumn& column, const Cell& cell, bool for_people) {
  if (IsMissing(cell)) return "";
  if (const auto* text = std::get_if<std::string_view>(&cell)) return std::string(*text);
  if (const auto* integer = std::get_if<int64_t>(&cell)) {
    if (column.type == ColumnType::kYesNo) return *integer != 0 ? "yes" : "no";
    // Numbers that are names (ids in a text column) have no separators.
    const bool group = for_people && IsNumeric(column);
    return group ? FormatCount(*integer) : fmt::format("{}", *integer);
  }
  const double real = std::get<double>(cell);
  const int decimals = DecimalsOf(column);
  if (decimals < 0) return FormatReal(real);
  return for_people ? FormatFixed(real, decimals) : fmt::format("{:.{}f}", real, decimals);
}

}  // namespace warpsight
