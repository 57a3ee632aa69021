#pragma once

#include <string>

#include "analysis/reporting/render.h"

namespace warpsight {

// The beginning of every file of this report in this format, for any profile.
std::string ReportHead(const Report& report, ReportFormat format);

}  // namespace warpsight
