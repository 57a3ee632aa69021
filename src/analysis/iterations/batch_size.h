#pragma once

#include <cstdint>

#include "model/facts.h"
#include "model/trace.h"

namespace warpsight {

// Samples per iteration from the recorded shapes: the leading dimension of the input of the model's
// first convolution, embedding or linear layer. Concatenated tokens of several sequences and image
// patches are not samples: if the leading dimension may count those, the next layer is used.
// kMissing if no layer provides it.
int64_t GuessBatchSize(const Trace& trace, const FactTables& facts);

}  // namespace warpsight
