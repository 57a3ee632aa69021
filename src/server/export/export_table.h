#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "analysis/reporting/table.h"
#include "base/result.h"

namespace warpsight::server {

enum class ExportFormat : uint8_t { kCsv, kTsv, kJson, kXlsx, kPdf };

// "csv", "tsv", "json", "xlsx", "pdf"; also the file extension.
std::string_view ToString(ExportFormat format);
std::optional<ExportFormat> ParseExportFormat(std::string_view name);
// "text/csv; charset=utf-8"
std::string_view ContentType(ExportFormat format);

// The text above a table in a document.
struct ExportHeading {
  std::string profile_name;
  std::string title;
  std::string range;         // the analyzed iterations, in words; may be empty
  std::string id = "table";  // the report's id, for programs
};

// Some rows of a table as a file, in the given order. CSV and JSON have the format of `warpsight
// report --format csv` and `json`, and TSV that of CSV; they accept any number of rows. XLSX and
// PDF are for people: numbers are formatted, durations in a PDF have readable units, and a separate
// sheet explains the columns. Returns an Error with the code "too-many-rows" if the format cannot
// contain the rows.
Result<std::string> ExportTable(const Table& table, std::span<const uint32_t> rows,
                                ExportFormat format, const ExportHeading& heading);

}  // namespace warpsight::server
