#pragma once

#include <string_view>

#include "model/trace.h"

// What the traces in files of earlier schemas lack, and how they differ from those imported by this
// version. If you change the tables of a trace, raise kSchemaVersion and add the change here.
// Changes in facts and advice need no entry, since those of earlier schemas are never read.
namespace warpsight::store {

// Whether files of that schema may lack a column of a trace's table. Its values are then missing;
// if the whole table was added later, it has no rows.
bool MayLack(int schema_version, std::string_view table, std::string_view column);

// Replaces numbers that earlier versions stored but this one rejects by the values that an import
// stores today.
void ReplaceNumbers(int schema_version, Trace& trace);

// Converts a trace that has passed CheckIntegrity() to the form in which traces are imported today.
// Returns whether anything changed; if so, the trace must be checked again.
bool UpgradeTrace(int schema_version, Trace& trace);

}  // namespace warpsight::store
