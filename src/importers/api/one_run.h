#pragma once

#include <vector>

#include "base/result.h"
#include "model/trace_builder.h"

namespace warpsight {

// Whether files can belong to one run of several processes; an Error says why not. If the files
// contain no such information, the user's choice is trusted.
Status CheckOneRun(const std::vector<TraceBuilder::SourceFacts>& files);

}  // namespace warpsight
