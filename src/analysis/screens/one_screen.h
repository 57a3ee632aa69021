#pragma once

#include <string>

#include "analysis/reporting/report.h"

namespace warpsight {

// A summary of the run in about forty lines: the step time, what it waits for, the ops and kernels
// that cost most, whether Tensor Cores are used, and how far the numbers can be trusted.
std::string OneScreen(const ReportInput& input, const TextStyle& style);

}  // namespace warpsight
