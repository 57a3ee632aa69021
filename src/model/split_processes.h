#pragma once

#include "model/trace.h"

namespace warpsight {

// A source is the recording of one rank of a job: a process with the GPUs that it uses. If a file
// contains several (an export of Nsight Systems of a run under torchrun), each becomes a separate
// source. Processes that share a GPU stay together; processes without GPU work stay with the first.
void SplitProcesses(TraceTables& tables);

}  // namespace warpsight
