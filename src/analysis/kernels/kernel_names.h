#pragma once

#include "model/facts.h"
#include "model/trace.h"

namespace warpsight {

// Classifies every distinct kernel name of the trace: fills kernel_names and its index. Whether it
// uses Tensor Cores is a fact where hardware counters were read of any of its launches.
void ClassifyKernels(Trace& trace, FactTables& facts);

}  // namespace warpsight
