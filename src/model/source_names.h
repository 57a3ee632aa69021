#pragma once

#include "model/trace.h"

namespace warpsight {

// For exports, removes the folders from the paths of a trace's sources and from the import log's
// messages about neighboring files: a single file keeps its name, several keep the part that
// distinguishes them ("rank0/trace.json").
void DropSourceFolders(Trace& trace);

}  // namespace warpsight
