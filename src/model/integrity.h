#pragma once

#include <string>

#include "model/facts.h"
#include "model/trace.h"

// The invariants of every profile, whether imported or loaded. See also CheckIntegrity() in
// trace.h. Both use all cores.
namespace warpsight {

// The first violated invariant of the facts about a trace, or an empty string. The trace must have
// passed CheckIntegrity(). Ids are in range, rows point to rows of their own source, parents come
// before their children, iterations and gaps are in order, every kernel's name is known, and there
// is one aggregation. It is not checked that the facts equal the result of ComputeFacts().
std::string CheckFacts(const Trace& trace, const FactTables& facts);

// The first column of durations or counts whose sum is above kLargestTotal, or an empty string.
std::string CheckTotals(const Trace& trace);

}  // namespace warpsight
