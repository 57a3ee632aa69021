#pragma once

#include "base/progress.h"
#include "exporters/nsys_sqlite/sqlite_writer.h"
#include "model/profile.h"

namespace warpsight::exporters::nsys_sqlite {

// Fills a database with the tables that Nsight Systems' own reports read. Stops early if the
// progress is cancelled or the database cannot be written.
void WriteTables(const Profile& profile, SqliteWriter& writer, Progress& progress);

}  // namespace warpsight::exporters::nsys_sqlite
