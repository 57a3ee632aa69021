#pragma once

#include <optional>

#include "analysis/accounting/range_summary.h"
#include "analysis/facts/clean_steps.h"
#include "model/trace.h"

namespace warpsight {

// The steps without recording of the process whose step the head of a report states: of the slowest
// rank, otherwise of the first process that has any.
CleanSteps CleanStepsOf(const Trace& trace, const RangeSummary& range);

// The step of the range without the profiler as measured; missing if it was not measured, or if the
// clean steps vary too much. If the recording timed other units than the iterations of the range,
// such as the tokens of a generated text, then the range's average iteration changes by the same
// factor as these.
std::optional<DurationNs> MeasuredCleanStep(const Trace& trace, const RangeSummary& range);

}  // namespace warpsight
