#pragma once

#include "analysis/facts/range_names.h"
#include "model/facts.h"
#include "model/trace.h"

namespace warpsight {

// Who contains whom on each CPU thread: fills host.parent, host.op, host.direction, api.op and the
// module paths of forward ops. One sweep over host ranges and API calls in timeline order.
void ComputeNesting(Trace& trace, RangeNames& names, FactTables& facts);

// Ties backward ops to their forward ops through sequence numbers: fills host.forward, and hands
// the forward op's module path on.
void LinkForward(Trace& trace, RangeNames& names, FactTables& facts);

}  // namespace warpsight
