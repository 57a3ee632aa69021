#pragma once

#include "model/facts.h"
#include "model/trace.h"

namespace warpsight {

// Counts the contents of every file and the work of every GPU in the whole recording. Needs
// correlation.
void CountTotals(const Trace& trace, FactTables& facts);

}  // namespace warpsight
