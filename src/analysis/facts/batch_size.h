#pragma once

#include <cstdint>

#include "model/facts.h"
#include "model/trace.h"

namespace warpsight {

// Samples per iteration from the recorded shapes: the leading dimension of what the model's first
// convolution, embedding or linear layer gets. kMissing without shapes or such a layer.
int64_t GuessBatchSize(const Trace& trace, const FactTables& facts);

}  // namespace warpsight
