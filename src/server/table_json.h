#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/reporting/table.h"

namespace warpsight::server {

// [{"name": …, "type": …, "unit": …, "doc": …}, …]
std::string ColumnsJson(const std::vector<Table::Column>& columns);

// The cells of a row: ["MM_1", 5, null]
void AppendRowJson(const Table& table, size_t row, std::string& out);

// One page of a table in the format of docs/api.md. `rows` are the selected rows, in order; the
// page contains `limit` of them, starting at `offset`.
std::string PageJson(std::string_view report, std::string_view title, const Table& table,
                     std::span<const uint32_t> rows, size_t offset, size_t limit);

}  // namespace warpsight::server
