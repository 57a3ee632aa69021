#pragma once

#include "model/facts.h"
#include "model/trace.h"

namespace warpsight {

// Computes where the time of every iteration went (metrics.md, "Where the time goes"): fills
// ledger, ledger_totals and the columns of iterations from reader_ns on. All code that shows shares
// of time reads these tables. Needs iterations with their windows, gaps, and the index of kernel
// names.
void ComputeLedger(const Trace& trace, FactTables& facts);

}  // namespace warpsight
