#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "importers/nsys/table_part.h"
#include "model/hash_map.h"

// Reads GPU work of an export. `rows` selects the rows to read, such as "WHERE rowid <= 9".
namespace warpsight::importers::nsys {

void ReadKernels(const SqliteDatabase& database, std::string_view rows, TablePart& part);
// Reads graphs that were traced as a whole: one row per launch, for all its kernels.
void ReadGraphs(const SqliteDatabase& database, std::string_view rows, TablePart& part);
void ReadCopies(const SqliteDatabase& database, std::string_view rows, TablePart& part);
void ReadMemsets(const SqliteDatabase& database, std::string_view rows, TablePart& part);

// The GPU of each context, by process and context: synchronization records contain a wrong one.
using ContextDevices = HashMap<std::pair<std::string, int64_t>, int64_t>;
// Adds the contexts of the work in a part.
void CollectContextDevices(const TracePart& part, ContextDevices& devices);
void ReadSyncs(const SqliteDatabase& database, const ContextDevices& devices, TablePart& part);

}  // namespace warpsight::importers::nsys
