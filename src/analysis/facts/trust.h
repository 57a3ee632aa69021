#pragma once

#include "model/facts.h"
#include "model/trace.h"

namespace warpsight {

// Computes the counts that limit the accuracy of a profile's numbers (metrics.md, "Trust"): fills
// trust. The codes are part of the profile's format; docs/metrics.md lists them.
void CountTrust(Trace& trace, FactTables& facts);

}  // namespace warpsight
