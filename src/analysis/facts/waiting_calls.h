#pragma once

#include <vector>

#include "model/facts.h"
#include "model/trace.h"

namespace warpsight {

// By API call: whether the host waits for the GPU in it, in a synchronisation or a blocking copy.
// Needs correlation.
std::vector<bool> WaitingCalls(const Trace& trace, const FactTables& facts);

}  // namespace warpsight
