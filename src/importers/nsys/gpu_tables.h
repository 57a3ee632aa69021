#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "importers/nsys/table_part.h"
#include "model/hash_map.h"

// GPU work of an export. `rows` selects the rows to read, as in "WHERE rowid <= 9".
namespace warpsight::importers::nsys {

void ReadKernels(const SqliteDatabase& database, std::string_view rows, TablePart& part);
// Graphs that were traced as a whole: one row for all kernels of a launch.
void ReadGraphs(const SqliteDatabase& database, std::string_view rows, TablePart& part);
void ReadCopies(const SqliteDatabase& database, std::string_view rows, TablePart& part);
void ReadMemsets(const SqliteDatabase& database, std::string_view rows, TablePart& part);

// The GPU of each context, by process and context: synchronizations name a wrong one.
using ContextDevices = HashMap<std::pair<std::string, int64_t>, int64_t>;
// Adds the contexts whose work a part holds.
void CollectContextDevices(const TracePart& part, ContextDevices& devices);
void ReadSyncs(const SqliteDatabase& database, const ContextDevices& devices, TablePart& part);

}  // namespace warpsight::importers::nsys
