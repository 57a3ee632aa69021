#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/facts/range_names.h"
#include "analysis/iterations/serving_steps.h"
#include "base/intervals.h"
#include "model/facts.h"
#include "model/trace.h"

namespace warpsight {

// The iterations of one source, in order.
struct FoundIterations {
  IterationSource how = IterationSource::kNone;
  std::vector<Interval> ranges;
  std::string detail;  // the marker or op that defines them; if there are none, why
  // The kind of each step, for an inference server; otherwise empty.
  std::vector<ServingStep> serving{};
  // Of a single range: it is not the whole trace, but the longest part without a clean stretch.
  bool longest_part = false;
  // The ranges are on the GPU's time axis, because launches were not recorded.
  bool on_gpu = false;
};

// Finds the iterations as described in metrics.md ("Iterations"). With `marked_functions` or a key
// op, not all methods are tried. Without any repetition, the result is one range over everything,
// unless a key op was requested.
FoundIterations FindIterationsOf(const Trace& trace, RangeNames& names, const FactTables& facts,
                                 SourceId source, bool marked_functions, const std::string& key_op);

}  // namespace warpsight
