#pragma once

#include <string_view>

#include "analysis/accounting/range_summary.h"

namespace warpsight {

// Whether a cause takes enough of the GPU's time for a finding about it alone: 10 %, since shorter
// idle times hide behind the variation of steps (5 % is where input-bound begins; such times are
// made of many small ones), or 25 % without iterations, where the time includes the program's
// startup and shutdown.
inline bool IsNotableIdle(const RangeSummary& range, IdleCause cause) {
  const double notable = range.source != IterationSource::kNone ? 0.10 : 0.25;
  return range.Share(range.Of(cause)) >= notable;
}

// What times of the range are about, in the sentence of such a finding.
inline std::string_view ScopeOf(const RangeSummary& range) {
  return range.source != IterationSource::kNone ? "per step" : "in the whole recording";
}

}  // namespace warpsight
