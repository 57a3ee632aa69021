#pragma once

#include "analysis/iterations/iterations.h"
#include "base/progress.h"
#include "base/result.h"
#include "model/profile.h"

namespace warpsight {

// Derives everything that a profile holds beyond the trace. The trace's rows stay as they are; its
// string pool gets the texts that the facts refer to.
Result<FactTables> ComputeFacts(Trace& trace, const IterationOptions& options, Progress& progress);

// Finds the iterations anew with other options; everything else stays.
Status Reaggregate(Trace& trace, const IterationOptions& options, FactTables& facts);

}  // namespace warpsight
