#pragma once

#include <string_view>

#include "importers/nsys/table_part.h"

// Reads the CPU side, except NVTX ranges.
namespace warpsight::importers::nsys {

void ReadApiCalls(const SqliteDatabase& database, std::string_view rows, TablePart& part);
// Reads calls of the operating system's library.
void ReadSystemCalls(const SqliteDatabase& database, std::string_view rows, TablePart& part);
void ReadOverhead(const SqliteDatabase& database, std::string_view rows, TablePart& part);

}  // namespace warpsight::importers::nsys
