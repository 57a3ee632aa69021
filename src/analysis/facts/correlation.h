#pragma once

#include "model/facts.h"
#include "model/trace.h"

namespace warpsight {

// Joins GPU work with the API call that launched it, by correlation id within one source, and with
// the op behind the call: fills gpu.api and gpu.op. Needs api.op and host.op. An autograd wrapper
// that launches GPU work itself becomes a separate op in reports.
void CorrelateGpuWork(const Trace& trace, FactTables& facts);

}  // namespace warpsight
