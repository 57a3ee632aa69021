#include "store/profile_place.h"

#include <fmt/format.h>

#include <filesystem>

#include "store/database.h"
#include "store/profile_file.h"

namespace warpsight {
namespace {

// DuckDB puts its log beside a database, under this ending, and applies what it finds there when
// the database is opened.
constexpr const char* kLogEnding = ".wal";

// Only the catalog is looked at: it says what the tables are without running anything that the file
// holds. Every version of the program has written this table.
constexpr const char* kFindOurTable =
    "SELECT 1 FROM duckdb_columns() WHERE database_name = current_database() "
    "AND schema_name = 'main' AND table_name = 'warpsight' AND column_name IN ('key', 'value') "
    "AND table_oid IN (SELECT table_oid FROM duckdb_tables())";

size_t CountRows(store::Connection& connection, const char* sql) {
  auto rows = connection.Query(sql);
  size_t count = 0;
  if (!rows.ok()) return 0;
  const Status status = rows->ForEachChunk([&](const store::Chunk& chunk) -> Status {
    count += chunk.rows();
    return {};
  });
  return status.ok() ? count : 0;
}

}  // namespace

bool IsWarpsightProfile(const std::string& path) {
  if (!LooksLikeProfile(path) || !CheckNoLog(path).ok()) return false;
  auto database = store::Database::Open(path, {{"access_mode", "READ_ONLY"},
                                               {"threads", "1"},
                                               {"temp_directory", ""},
                                               {"enable_external_access", "false"}});
  if (!database.ok()) return false;
  auto connection = store::Connection::Open(*database);
  return connection.ok() && CountRows(*connection, kFindOurTable) == 2;
}

Status CheckNoLog(const std::string& path) {
  const std::string log = path + kLogEnding;
  std::error_code error;
  if (!std::filesystem::exists(std::filesystem::symlink_status(log, error))) return {};
  return Error{fmt::format("{} exists, which DuckDB would apply to it; move that file away", log),
               kRefusedOutput};
}

Result<OutputPlace> FindProfilePlace(const std::string& path, const OutputRules& rules) {
  auto place = OutputPlace::Find(path, rules, {"a Warpsight profile", &IsWarpsightProfile});
  Status status = place.status();
  if (status.ok() && place->is_stream()) status = Error{"it is not a regular file"};
  if (status.ok()) status = CheckNoLog(place->target());
  if (status.ok()) return place;
  return CannotSave(path, status.error());
}

Error CannotSave(const std::string& path, const Error& reason) {
  return {fmt::format("cannot save {}: {}", path, reason.message), reason.code};
}

}  // namespace warpsight
