#pragma once

#include <cstdint>

#include "model/facts.h"
#include "model/trace.h"

namespace warpsight {

// Samples per iteration from the recorded shapes: the leading dimension of what the model's first
// convolution, embedding or linear layer gets. Tokens of several sequences one behind the other and
// patches of images are not samples: where the leading dimension may count those, the next layer is
// asked. kMissing where no layer tells.
int64_t GuessBatchSize(const Trace& trace, const FactTables& facts);

}  // namespace warpsight
