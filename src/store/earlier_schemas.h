#pragma once

#include <string_view>

#include "model/trace.h"

// What the traces in files of earlier schemas lack and how they differ from those that are imported
// today. Who changes the tables of a trace raises kSchemaVersion and says here what changed; what
// changes in facts and advice needs no entry, since those of earlier schemas are never read.
namespace warpsight::store {

// Whether files of that schema may be without a column of a trace's table. Its values are then
// missing. Where the whole table came later, it has no rows.
bool MayLack(int schema_version, std::string_view table, std::string_view column);

// Puts today's values in place of numbers that earlier programs stored and this one refuses.
void ReplaceNumbers(int schema_version, Trace& trace);

// Brings a trace that has passed CheckIntegrity() to the form in which traces are imported today.
// Returns whether anything changed, after which it must pass once more.
bool UpgradeTrace(int schema_version, Trace& trace);

}  // namespace warpsight::store
