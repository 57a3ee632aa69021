#pragma once

#include "model/trace.h"

namespace warpsight {

// A source is the recording of one process that uses GPUs: one rank of a job. Where a file holds
// several of them (an export of Nsight Systems of a run under torchrun), each becomes a source of
// its own, with the GPUs that it worked on. Processes without GPU work stay with the first.
void SplitProcesses(TraceTables& tables);

}  // namespace warpsight
