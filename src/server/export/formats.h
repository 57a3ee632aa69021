#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "analysis/reporting/report.h"
#include "server/export/export_table.h"

// Formats that are implemented in separate files; used by export_table.cc and tests.
namespace warpsight::server {

// A column of a table in the form that renderers need; valid as long as the table.
inline ReportColumn ColumnOf(const Table::Column& column) {
  return {column.name, column.type, column.doc};
}

Result<std::string> ExportXlsx(const Table& table, std::span<const uint32_t> rows,
                               const ExportHeading& heading);
Result<std::string> ExportPdf(const Table& table, std::span<const uint32_t> rows,
                              const ExportHeading& heading);

}  // namespace warpsight::server
