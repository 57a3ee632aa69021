#pragma once

#include <vector>

#include "model/facts.h"
#include "model/trace.h"

namespace warpsight {

// The calls of an outermost annotation or module of a source, in order, that repeatedly launch the
// same kernels: of a model in inference, or of a function compiled by JAX. Work before the first of
// them is ignored; there may be a lot of it, since recordings begin with the program. A list for
// each name, that with most of the kernel time first.
std::vector<std::vector<HostId>> FindRepeatedCalls(const Trace& trace, const FactTables& facts,
                                                   SourceId source);

}  // namespace warpsight
