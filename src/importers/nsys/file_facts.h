#pragma once

#include <vector>

#include "importers/api/importer.h"
#include "importers/nsys/table_part.h"

namespace warpsight::importers::nsys {

// Adds names of the lanes that `parts` use, GPUs, versions, settings and the clock.
void AddFileFacts(const SqliteDatabase& database, const std::vector<const TracePart*>& parts,
                  TablePart& part, TraceBuilder& builder);

}  // namespace warpsight::importers::nsys
