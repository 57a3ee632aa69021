#pragma once

#include "model/trace.h"

namespace warpsight {

// A source is the recording of one rank of a job: a process with the GPUs that it uses. If a file
// contains several ranks (an Nsight Systems export of a run under torchrun), each of them becomes a
// separate source. Processes that share a GPU stay together; processes without GPU work stay in the
// first source.
void SplitProcesses(TraceTables& tables);

}  // namespace warpsight
