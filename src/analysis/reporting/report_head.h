#pragma once

#include <string>

#include "analysis/reporting/render.h"

namespace warpsight {

// The text with which every file of this report in this format begins, for any profile.
std::string ReportHead(const Report& report, ReportFormat format);

}  // namespace warpsight
