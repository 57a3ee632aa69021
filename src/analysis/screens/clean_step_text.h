#pragma once

#include <string>

#include "analysis/accounting/range_summary.h"
#include "analysis/facts/clean_steps.h"
#include "model/trace.h"

namespace warpsight {

// The steps without recording of the process whose step the head of a report states: of the slowest
// rank, otherwise of the first process that has any.
CleanSteps CleanStepsOf(const Trace& trace, const RangeSummary& range);

// "22.3 ms (22.1 ms to 22.6 ms over 120 clean steps); recording adds 3.10 ms (13.9 %)", or what
// could not be measured; "" if the recording says nothing about it.
std::string CleanStepText(const CleanSteps& steps);

}  // namespace warpsight
