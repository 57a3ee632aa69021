#pragma once

#include "model/facts.h"
#include "model/trace.h"

namespace warpsight {

// Classifies every distinct kernel name of the trace: fills kernel_names and its index.
void ClassifyKernels(Trace& trace, FactTables& facts);

}  // namespace warpsight
