#pragma once

#include <string>

#include "analysis/reporting/report.h"

namespace warpsight {

// The value of a cell in a column of this type as JSON: null where it is not available.
void AppendJsonCell(ColumnType type, const Cell& cell, std::string& out);

}  // namespace warpsight
