#pragma once

#include <string>

#include "analysis/reporting/render.h"

namespace warpsight {

// How every file of this report in this format begins, whatever the profile.
std::string ReportHead(const Report& report, ReportFormat format);

}  // namespace warpsight
