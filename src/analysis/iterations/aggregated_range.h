#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/iterations/serving_steps.h"
#include "base/result.h"
#include "model/facts.h"
#include "model/trace.h"

namespace warpsight {

// Iterations, inclusive, as numbers within each source.
struct IterationRange {
  int64_t first = 0;
  int64_t last = 0;
};

// The iterations 0 .. total - 1 between clean stretches, in order; all of them if there are none. A
// clean stretch of any process ends a run, so that no process has one within a run.
std::vector<IterationRange> RunsBetweenCleanStretches(const Trace& trace,
                                                      const IterationsTable& iterations,
                                                      int64_t total);

// The iterations of the source that represents the profile.
struct CandidateIterations {
  SourceId source;
  int64_t total = 0;
  std::vector<DurationNs> times;
  std::vector<ServingStep> serving;  // or empty
};

// The range to aggregate: within one of the runs. If none was requested, it is all without warm-up;
// of several runs, the one with the most iterations that were recorded as a whole, the last of
// them if there are several. Returns an Error if the requested range is impossible.
Result<IterationRange> ChooseRange(const Trace& trace, const IterationsTable& iterations,
                                   const std::vector<IterationRange>& runs,
                                   const CandidateIterations& candidates,
                                   std::optional<int64_t> first, std::optional<int64_t> last);

}  // namespace warpsight
