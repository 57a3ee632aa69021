#pragma once

#include <span>

#include "importers/api/importer.h"

namespace warpsight {

// Logs why a database may be incomplete: it is truncated, its compression is damaged, or a file
// beside it contains further changes.
void LogSqliteProblems(const ImportContext& context, std::span<const char> bytes, TracePart& part);

}  // namespace warpsight
