#pragma once

#include "model/facts.h"
#include "model/trace.h"

namespace warpsight {

// Classifies every distinct kernel name of the trace: fills kernel_names and its index. If hardware
// counters were read for any launch of a name, they determine whether it uses Tensor Cores.
void ClassifyKernels(Trace& trace, FactTables& facts);

}  // namespace warpsight
