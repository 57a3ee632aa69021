#pragma once

#include "model/facts.h"
#include "model/trace.h"

namespace warpsight {

// Joins GPU work with the API call that started it, on the correlation id within one source, and
// with the op behind it: fills gpu.api and gpu.op. Needs api.op and host.op. An autograd wrapper
// that starts GPU work itself becomes an op of its own in reports.
void CorrelateGpuWork(const Trace& trace, FactTables& facts);

}  // namespace warpsight
