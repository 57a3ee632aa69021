#pragma once

#include "model/facts.h"
#include "model/trace.h"

namespace warpsight {

// Counts what every file holds and what every GPU did in the whole recording. Needs correlation.
void CountTotals(const Trace& trace, FactTables& facts);

}  // namespace warpsight
