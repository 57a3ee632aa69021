#pragma once

#include "exporters/nsys_sqlite/sqlite_writer.h"

namespace warpsight::exporters::nsys_sqlite {

// The ENUM_* tables that the reports join with.
void WriteEnums(SqliteWriter& writer);

}  // namespace warpsight::exporters::nsys_sqlite
