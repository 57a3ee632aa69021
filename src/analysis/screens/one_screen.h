#pragma once

#include <string>

#include "analysis/reporting/report.h"

namespace warpsight {

// The answer to "how does this run do?" in about forty lines: how long a step is, what it waits
// for, which ops and kernels cost most, whether Tensor Cores are used, and how far the numbers can
// be trusted.
std::string OneScreen(const ReportInput& input, const TextStyle& style);

}  // namespace warpsight
