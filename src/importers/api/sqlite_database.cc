#include "importers/api/sqlite_database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <utility>

#include "base/utf8.h"

namespace warpsight {
namespace {

constexpr std::string_view kMagic("SQLite format 3\0", 16);
constexpr size_t kHeaderBytes = 100;

std::string Quoted(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

bool IsSqlite(std::string_view head) { return head.starts_with(kMagic); }

SqliteRows::SqliteRows(sqlite3* database, const std::string& sql, int64_t most)
    : database_(database), left_(most) {
  if (sqlite3_prepare_v2(database, sql.c_str(), -1, &statement_, nullptr) != SQLITE_OK) {
    error_ = sqlite3_errmsg(database);
  }
}

SqliteRows::~SqliteRows() { sqlite3_finalize(statement_); }

bool SqliteRows::Next() {
  if (statement_ == nullptr || !error_.empty()) return false;
  const int result = sqlite3_step(statement_);
  if (result == SQLITE_ROW && left_-- > 0) return true;
  if (result == SQLITE_ROW) {
    error_ = "it has more rows than the file has room for";
  } else if (result != SQLITE_DONE) {
    error_ = sqlite3_errmsg(database_);
  }
  return false;
}

bool SqliteRows::IsNull(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

int64_t SqliteRows::Integer(int column) const { return sqlite3_column_int64(statement_, column); }

int64_t SqliteRows::IntegerOr(int column, int64_t missing) const {
  return IsNull(column) ? missing : Integer(column);
}

double SqliteRows::Real(int column) const { return sqlite3_column_double(statement_, column); }

std::string_view SqliteRows::Text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (text == nullptr) return {};
  return {text, static_cast<size_t>(sqlite3_column_bytes(statement_, column))};
}

std::string_view SqliteRows::Blob(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<size_t>(sqlite3_column_bytes(statement_, column))};
}

void SqliteDatabase::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

Result<SqliteDatabase> SqliteDatabase::Open(std::span<char> bytes) {
  if (bytes.size() < kHeaderBytes || !IsSqlite({bytes.data(), bytes.size()})) {
    return Error{"no SQLite database, or one that is encrypted: decrypt it first"};
  }
  // Write-ahead logging needs files beside the database; without them it reads like any other.
  bytes[18] = bytes[19] = 1;
  sqlite3* handle = nullptr;
  const int opened =
      sqlite3_open_v2(":memory:", &handle,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX, nullptr);
  SqliteDatabase database(handle, bytes.size());
  if (opened != SQLITE_OK) return Error{"SQLite cannot be started"};
  const auto size = static_cast<sqlite3_int64>(bytes.size());
  if (sqlite3_deserialize(handle, "main", reinterpret_cast<unsigned char*>(bytes.data()), size,
                          size, SQLITE_DESERIALIZE_READONLY) != SQLITE_OK) {
    return Error{fmt::format("the SQLite database cannot be opened: {}", sqlite3_errmsg(handle))};
  }
  // A damaged database must not run code of its own, nor run for ever.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  SqliteRows names(handle, "SELECT name FROM sqlite_schema WHERE type = 'table'",
                   database.most_rows_);
  while (names.Next()) database.tables_.try_emplace(std::string(names.Text(0)));
  if (!names.error().empty()) {
    return Error{fmt::format("the SQLite database is damaged or encrypted: {}", names.error())};
  }
  for (auto& [table, columns] : database.tables_) {
    SqliteRows infos(handle, fmt::format("PRAGMA table_info({})", Quoted(table)));
    enum { kNumber, kName };  // the first columns of such a table
    while (infos.Next()) columns.emplace(infos.Text(kName));
  }
  return database;
}

bool SqliteDatabase::HasColumn(std::string_view table, std::string_view column) const {
  const auto it = tables_.find(table);
  return it != tables_.end() && it->second.count(std::string(column)) > 0;
}

std::unique_ptr<SqliteRows> SqliteDatabase::Select(std::string_view table,
                                                   const std::vector<std::string_view>& columns,
                                                   std::string_view rest) const {
  std::string list;
  for (const std::string_view column : columns) {
    if (!list.empty()) list += ", ";
    list += HasColumn(table, column) ? Quoted(column) : "NULL";
  }
  return std::make_unique<SqliteRows>(
      database_.get(), fmt::format("SELECT {} FROM {} {}", list, Quoted(table), rest), most_rows_);
}

std::string SqliteDatabase::Refusal() const {
  constexpr size_t kMost = 8;
  std::string text = "an SQLite database, but of neither Nsight Systems nor nvprof: it has ";
  if (tables_.empty()) return text + "no tables";
  text += "the tables ";
  size_t named = 0;
  for (const auto& [table, columns] : tables_) {
    if (named == kMost) return text + fmt::format(" and {} more", tables_.size() - kMost);
    if (named++ > 0) text += ", ";
    text += RepairUtf8(table);
  }
  return text;
}

int64_t SqliteDatabase::CountRows(std::string_view table) const {
  if (!HasTable(table)) return 0;
  SqliteRows count(database_.get(), fmt::format("SELECT count(*) FROM {}", Quoted(table)));
  return count.Next() ? count.Integer(0) : 0;
}

int64_t SqliteDatabase::LastRow(std::string_view table) const {
  if (!HasTable(table)) return 0;
  SqliteRows last(database_.get(), fmt::format("SELECT max(rowid) FROM {}", Quoted(table)));
  return last.Next() ? last.Integer(0) : 0;
}

}  // namespace warpsight
