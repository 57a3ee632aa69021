#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/facts/range_names.h"
#include "base/result.h"
#include "model/facts.h"
#include "model/trace.h"

namespace warpsight {

struct IterationOptions {
  std::string key_op;                  // boundaries are the ends of this op
  std::optional<int64_t> first, last;  // aggregated iterations, inclusive
  int64_t batch_size = kMissing;
};

// Finds the iterations (metrics.md, "Iterations"), chooses the aggregated range and assigns every
// row to an iteration: fills iterations, aggregations and the iteration columns of host, api and
// gpu. Needs nesting and correlation. Returns an Error if the options are impossible: an op that
// does not occur, or a range outside the trace.
Status FindIterations(Trace& trace, const IterationOptions& options, RangeNames& names,
                      FactTables& facts);

}  // namespace warpsight
