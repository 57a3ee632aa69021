#pragma once

#include <vector>

#include "model/trace.h"

namespace warpsight {

// By source: whether it contains functions that PyProf or DLProf marked. Its ops, calls and times
// are then counted as in DLProf: docs/metrics.md, "PyProf and DLProf markers".
std::vector<bool> SourcesWithMarkedFunctions(const Trace& trace);

}  // namespace warpsight
