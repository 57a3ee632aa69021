#pragma once

#include <vector>

#include "model/trace.h"

namespace warpsight {

// By source: whether it holds functions that PyProf or DLProf marked. Its ops, calls and times are
// then counted as DLProf counts them: docs/metrics.md, "PyProf and DLProf markers".
std::vector<bool> SourcesWithMarkedFunctions(const Trace& trace);

}  // namespace warpsight
