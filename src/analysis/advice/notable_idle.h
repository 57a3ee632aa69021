#pragma once

#include <string_view>

#include "analysis/accounting/range_summary.h"

namespace warpsight {

// Whether a cause takes enough of the GPU's time to justify a separate finding: at least 10 %,
// since shorter idle times do not stand out from the variation of steps (input-bound begins at 5 %;
// these idle times consist of many small ones), or at least 25 % without iterations, when the time
// includes the program's startup and shutdown.
inline bool IsNotableIdle(const RangeSummary& range, IdleCause cause) {
  const double notable = range.source != IterationSource::kNone ? 0.10 : 0.25;
  return range.Share(range.Of(cause)) >= notable;
}

// What the times of such a finding refer to, for its sentence.
inline std::string_view ScopeOf(const RangeSummary& range) {
  return range.source != IterationSource::kNone ? "per step" : "in the whole recording";
}

}  // namespace warpsight
