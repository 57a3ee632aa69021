#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "analysis/reporting/report.h"

namespace warpsight {

// The printed form of a report that is too wide for a terminal: only the given columns, durations
// in readable units, and names shortened in the middle. The other formats contain everything.
std::string RenderColumns(const Report& report, std::initializer_list<std::string_view> columns,
                          const ReportInput& input, const TextStyle& style);

}  // namespace warpsight
