#pragma once

#include <vector>

#include "importers/api/importer.h"
#include "importers/nsys/table_part.h"

namespace warpsight::importers::nsys {

// Names of the lanes that `parts` use, the GPUs, versions and settings, the clock.
void AddFileFacts(const SqliteDatabase& database, const std::vector<const TracePart*>& parts,
                  TablePart& part, TraceBuilder& builder);

}  // namespace warpsight::importers::nsys
