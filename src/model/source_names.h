#pragma once

#include "model/trace.h"

namespace warpsight {

// Takes the folders that a trace's files lay in out of the paths of its sources, for what leaves
// this machine, and out of the import log's messages about files beside them: one file keeps its
// name, several keep what tells them apart ("rank0/trace.json").
void DropSourceFolders(Trace& trace);

}  // namespace warpsight
