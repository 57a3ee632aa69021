#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/reporting/table.h"
#include "base/result.h"

namespace warpsight {

// Which rows of a table, in which order.
struct TableQuery {
  std::string search;  // rows with a cell that contains this, upper and lower case alike
  // By column: numbers "10..20", "10..", "..20", "15"; booleans "1", "0"; texts contained, or equal
  // after "=".
  std::vector<std::pair<std::string, std::string>> filters;
  std::string sort;  // a column; empty: the table's own order
  bool descending = false;
};

// The rows that are wanted in order: from `begin` on, before `end`.
struct RowWindow {
  size_t begin = 0;
  size_t end = SIZE_MAX;
};

// The numbers of the rows that a query asks for, in its order; missing values last, equal ones in
// the table's order. Outside the window they are in any order, which saves sorting them. An
// Error for a column that does not exist or a filter that cannot be read.
Result<std::vector<uint32_t>> SelectRows(const Table& table, const TableQuery& query,
                                         RowWindow window = {});

}  // namespace warpsight
