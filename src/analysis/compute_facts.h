#pragma once

#include "analysis/iterations/iterations.h"
#include "base/progress.h"
#include "base/result.h"
#include "model/profile.h"

namespace warpsight {

// Computes all facts of a profile from its trace. The rows of the trace do not change; texts that
// the facts refer to are added to its string pool.
Result<FactTables> ComputeFacts(Trace& trace, const IterationOptions& options, Progress& progress);

// Finds the iterations again with other options; all other facts stay.
Status Reaggregate(Trace& trace, const IterationOptions& options, FactTables& facts);

}  // namespace warpsight
