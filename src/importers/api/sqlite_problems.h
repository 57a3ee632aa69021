#pragma once

#include <span>

#include "importers/api/importer.h"

namespace warpsight {

// Logs why a database may be incomplete: it is truncated, its compression is damaged, or changes
// wait in a file beside it.
void LogSqliteProblems(const ImportContext& context, std::span<const char> bytes, TracePart& part);

}  // namespace warpsight
