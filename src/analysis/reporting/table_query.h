#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/reporting/table.h"
#include "base/result.h"

namespace warpsight {

// Selects and orders the rows of a table.
struct TableQuery {
  std::string search;  // rows with a cell that contains this, ignoring case
  // By column. Numbers: "10..20", "10..", "..20", "15"; booleans: "1", "0"; texts: contained, or
  // equal after "=".
  std::vector<std::pair<std::string, std::string>> filters;
  std::string sort;  // a column; empty: the order of the table
  bool descending = false;
};

// The rows that must be in order: from `begin` to before `end`.
struct RowWindow {
  size_t begin = 0;
  size_t end = SIZE_MAX;
};

// The numbers of the selected rows in the requested order; missing values come last, and equal ones
// in the table's order. Rows outside the window are in any order, which saves sorting them. Returns
// an Error if a column does not exist or a filter cannot be parsed.
Result<std::vector<uint32_t>> SelectRows(const Table& table, const TableQuery& query,
                                         RowWindow window = {});

}  // namespace warpsight
