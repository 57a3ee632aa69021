#include "server/export/export_table.h"

#include <algorithm>
#include <array>
#include <vector>

#include "analysis/reporting/renderer.h"
#include "server/export/formats.h"

namespace warpsight::server {
namespace {

struct FormatInfo {
  ExportFormat format;
  std::string_view name;
  std::string_view content_type;
};

constexpr std::array<FormatInfo, 5> kFormats = {{
    {ExportFormat::kCsv, "csv", "text/csv; charset=utf-8"},
    {ExportFormat::kTsv, "tsv", "text/tab-separated-values; charset=utf-8"},
    {ExportFormat::kJson, "json", "application/json"},
    {ExportFormat::kXlsx, "xlsx",
     "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
    {ExportFormat::kPdf, "pdf", "application/pdf"},
}};

const FormatInfo& InfoOf(ExportFormat format) { return kFormats[static_cast<size_t>(format)]; }

// Uses the renderers of `warpsight report`.
std::string Render(const Table& table, std::span<const uint32_t> rows, ExportFormat format,
                   const ExportHeading& heading) {
  Report report{heading.id, heading.title, "", {}, nullptr};
  for (const Table::Column& column : table.columns()) report.columns.push_back(ColumnOf(column));
  StringOutput output;
  const auto renderer =
      format == ExportFormat::kJson
          ? MakeJsonRenderer(report, output)
          : MakeCsvRenderer(report, output, format == ExportFormat::kTsv ? '\t' : ',');
  renderer->Begin();
  std::vector<Cell> cells(table.columns().size());
  for (const uint32_t row : rows) {
    for (size_t column = 0; column < cells.size(); ++column) cells[column] = table.At(row, column);
    renderer->Row(cells);
  }
  for (const std::string& note : table.notes()) renderer->Note(note);
  renderer->End();
  return output.text();
}

}  // namespace

std::string_view ToString(ExportFormat format) { return InfoOf(format).name; }

std::optional<ExportFormat> ParseExportFormat(std::string_view name) {
  const auto* const it = std::find_if(kFormats.begin(), kFormats.end(),
                                      [&](const FormatInfo& info) { return info.name == name; });
  if (it == kFormats.end()) return std::nullopt;
  return it->format;
}

std::string_view ContentType(ExportFormat format) { return InfoOf(format).content_type; }

Result<std::string> ExportTable(const Table& table, std::span<const uint32_t> rows,
                                ExportFormat format, const ExportHeading& heading) {
  switch (format) {
    case ExportFormat::kXlsx:
      return ExportXlsx(table, rows, heading);
    case ExportFormat::kPdf:
      return ExportPdf(table, rows, heading);
    default:
      return Render(table, rows, format, heading);
  }
}

}  // namespace warpsight::server
