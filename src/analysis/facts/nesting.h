#pragma once

#include "analysis/facts/range_names.h"
#include "model/facts.h"
#include "model/trace.h"

namespace warpsight {

// Computes the nesting on each CPU thread: fills host.parent, host.op, host.direction, api.op and
// the module paths of forward ops. One sweep over host ranges and API calls in timeline order.
void ComputeNesting(Trace& trace, RangeNames& names, FactTables& facts);

// Links backward ops to their forward ops by sequence number: fills host.forward, and copies the
// module path of the forward op.
void LinkForward(Trace& trace, RangeNames& names, FactTables& facts);

}  // namespace warpsight
