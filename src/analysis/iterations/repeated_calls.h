#pragma once

#include <vector>

#include "model/facts.h"
#include "model/trace.h"

namespace warpsight {

// The calls of an outermost annotation or module of a source, in order, that launch the same
// kernels again and again: of a model that is asked, of a function that JAX compiled. What the
// program did before the first of them does not matter; it may be much, since recordings begin with
// the program. A list for each name, that with most of the kernel time first.
std::vector<std::vector<HostId>> FindRepeatedCalls(const Trace& trace, const FactTables& facts,
                                                   SourceId source);

}  // namespace warpsight
