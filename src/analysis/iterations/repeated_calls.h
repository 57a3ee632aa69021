#pragma once

#include <vector>

#include "model/facts.h"
#include "model/trace.h"

namespace warpsight {

// The calls of an outermost annotation or module of a source, in order, that repeatedly launch the
// same kernels: a model in inference, or a function compiled by JAX. Work before the first call is
// ignored; there may be much of it, since recordings begin with the program. Returns a list for
// each name, the one with the most kernel time first.
std::vector<std::vector<HostId>> FindRepeatedCalls(const Trace& trace, const FactTables& facts,
                                                   SourceId source);

}  // namespace warpsight
