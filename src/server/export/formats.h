#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "analysis/reporting/report.h"
#include "server/export/export_table.h"

// The formats that have a file of their own; for export_table.cc and tests.
namespace warpsight::server {

// A table's column as renderers want it; valid as long as the table.
inline ReportColumn ColumnOf(const Table::Column& column) {
  return {column.name, column.type, column.doc};
}

Result<std::string> ExportXlsx(const Table& table, std::span<const uint32_t> rows,
                               const ExportHeading& heading);
Result<std::string> ExportPdf(const Table& table, std::span<const uint32_t> rows,
                              const ExportHeading& heading);

}  // namespace warpsight::server
