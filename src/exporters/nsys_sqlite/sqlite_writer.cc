#include "exporters/nsys_sqlite/sqlite_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/output_place.h"

namespace warpsight::exporters::nsys_sqlite {

namespace {

// The header of an SQLite database has a number that identifies the program which created it.
// PRAGMA application_id sets it: "WRPS".
constexpr std::string_view kFileStart{"SQLite format 3\0", 16};
constexpr size_t kApplicationOffset = 68;
constexpr std::string_view kApplication = "WRPS";
constexpr const char* kApplicationNumber = "0x57525053";

}  // namespace

bool IsOurDatabase(const std::string& path) {
  const std::string head = ReadHead(path, kApplicationOffset + kApplication.size());
  return head.starts_with(kFileStart) && head.size() > kApplicationOffset &&
         head.substr(kApplicationOffset) == kApplication;
}

SqliteWriter::SqliteWriter(const std::string& path) {
  sqlite3* database = nullptr;
  const int result =
      sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  database_.reset(database);
  Check(result);
  // The file is not in its place until it is renamed, so it needs no protection against crashes.
  Run(
      fmt::format("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA page_size = 65536; "
                  "PRAGMA application_id = {}; BEGIN",
                  kApplicationNumber));
}

void SqliteWriter::Check(int result) {
  const bool fine = result == SQLITE_OK || result == SQLITE_DONE || result == SQLITE_ROW;
  if (fine || !ok()) return;
  error_ = database_ == nullptr ? sqlite3_errstr(result) : sqlite3_errmsg(database_.get());
}

void SqliteWriter::Run(const std::string& sql) {
  if (ok()) Check(sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr));
}

Status SqliteWriter::Finish() {
  Run("COMMIT");
  if (ok()) Check(sqlite3_close(database_.release()));
  if (ok()) return {};
  return Error{error_};
}

RowWriter::RowWriter(SqliteWriter& writer, std::string_view table, std::string_view columns)
    : writer_(writer) {
  writer.Run(fmt::format("CREATE TABLE {} ({})", table, columns));
  const auto count = 1 + std::count(columns.begin(), columns.end(), ',');
  std::string marks = "?";
  for (ptrdiff_t i = 1; i < count; ++i) marks += ",?";
  if (!writer.ok()) return;
  sqlite3_stmt* statement = nullptr;
  writer.Check(sqlite3_prepare_v2(writer.database_.get(),
                                  fmt::format("INSERT INTO {} VALUES ({})", table, marks).c_str(),
                                  -1, &statement, nullptr));
  statement_.reset(statement);
}

void RowWriter::EndRow() {
  bound_ = 0;
  if (!writer_.ok()) return;
  writer_.Check(sqlite3_step(statement_.get()));
  sqlite3_reset(statement_.get());
  // Values that the next row does not set are NULL.
  sqlite3_clear_bindings(statement_.get());
}

}  // namespace warpsight::exporters::nsys_sqlite
