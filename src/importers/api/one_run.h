#pragma once

#include <vector>

#include "base/result.h"
#include "model/trace_builder.h"

namespace warpsight {

// Whether files can be one run of several processes; an Error says why not. Where the files do not
// tell, they are taken to be what the user says they are.
Status CheckOneRun(const std::vector<TraceBuilder::SourceFacts>& files);

}  // namespace warpsight
