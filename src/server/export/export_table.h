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

// "csv", "tsv", "json", "xlsx", "pdf"; also the ending of a file's name.
std::string_view ToString(ExportFormat format);
std::optional<ExportFormat> ParseExportFormat(std::string_view name);
// "text/csv; charset=utf-8"
std::string_view ContentType(ExportFormat format);

// What stands above a table in a document.
struct ExportHeading {
  std::string profile_name;
  std::string title;
  std::string range;         // which iterations, in words; may be empty
  std::string id = "table";  // of the report, for programs
};

// Some rows of a table as a file, in the order given. CSV and JSON have the shape of
// `warpsight report --format csv` and `json`, TSV that of CSV; they take any number of rows. XLSX
// and PDF are for people: numbers are formatted, durations in a PDF readable, columns explained on
// a sheet of their own. An Error with the code "too-many-rows" where a format cannot hold the rows.
Result<std::string> ExportTable(const Table& table, std::span<const uint32_t> rows,
                                ExportFormat format, const ExportHeading& heading);

}  // namespace warpsight::server
