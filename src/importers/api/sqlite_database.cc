#include "importers/api/sqlite_database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <climits>
#include <utility>

#include "base/utf8.h"

namespace warpsight {
namespace {

constexpr std::string_view kMagic("SQLite format 3\0", 16);
constexpr size_t kHeaderBytes = 100;
// In a page of a table, a row takes at least a cell pointer (2 bytes), its length, its number and
// its header.
constexpr size_t kFewestBytesPerRow = 5;
// Columns are read at most twice, and UTF-16 text can grow by half when converted to UTF-8.
constexpr int64_t kTextsPerFile = 4;
// Reading a row takes two or three steps for each of its columns. The free steps take about a
// second.
constexpr int64_t kStepsPerByte = 20;
constexpr int64_t kFreeSteps = 100'000'000;
constexpr int kStepsPerCheck = 10'000;
// SQLITE_LIMIT_LENGTH limits texts but also the statements, so small files need this much.
constexpr size_t kShortestLimit = 1'000'000;

constexpr const char* kEndless = "it has more rows or longer texts than the file has room for";

std::string Quoted(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

// A result other than 0 ends the statement.
int TakeStepsOf(void* budget) {
  return static_cast<SqliteBudget*>(budget)->TakeSteps(kStepsPerCheck) ? 0 : 1;
}

}  // namespace

bool IsSqlite(std::string_view head) { return head.starts_with(kMagic); }

SqliteBudget::SqliteBudget(size_t bytes)
    : rows_(static_cast<int64_t>(bytes / kFewestBytesPerRow)),
      text_bytes_(kTextsPerFile * static_cast<int64_t>(bytes)),
      steps_(kFreeSteps + kStepsPerByte * static_cast<int64_t>(bytes)) {}

bool SqliteBudget::TakeSteps(int64_t steps) {
  if (steps_ >= 0) steps_ -= steps;
  return steps_ >= 0;
}

SqliteRows::SqliteRows(sqlite3* database, const std::string& sql, const SqliteBudget& budget)
    : database_(database),
      budget_(budget),
      rows_left_(budget.rows()),
      text_bytes_left_(budget.text_bytes()) {
  if (sqlite3_prepare_v2(database, sql.c_str(), -1, &statement_, nullptr) != SQLITE_OK) {
    error_ = sqlite3_errmsg(database);
  }
}

SqliteRows::~SqliteRows() { sqlite3_finalize(statement_); }

bool SqliteRows::Next() {
  if (statement_ == nullptr || !error_.empty()) return false;
  const int result = sqlite3_step(statement_);
  if (result == SQLITE_ROW && rows_left_-- > 0 && text_bytes_left_ >= 0) return true;
  if (result == SQLITE_ROW || budget_.exhausted()) {
    error_ = kEndless;
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
  return Bytes(sqlite3_column_text(statement_, column), column);
}

std::string_view SqliteRows::Blob(int column) const {
  return Bytes(sqlite3_column_blob(statement_, column), column);
}

std::string_view SqliteRows::Bytes(const void* bytes, int column) const {
  if (bytes == nullptr) return {};
  const auto size = static_cast<size_t>(sqlite3_column_bytes(statement_, column));
  text_bytes_left_ -= static_cast<int64_t>(size);
  return {static_cast<const char*>(bytes), size};
}

void SqliteDatabase::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

Result<SqliteDatabase> SqliteDatabase::Open(std::span<char> bytes) {
  if (bytes.size() < kHeaderBytes || !IsSqlite({bytes.data(), bytes.size()})) {
    return Error{"not an SQLite database, or an encrypted one: decrypt it first"};
  }
  // A database in write-ahead logging mode needs files beside it. With the mode in the header
  // changed, it is read without them.
  bytes[18] = bytes[19] = 1;
  sqlite3* handle = nullptr;
  const int opened =
      sqlite3_open_v2(":memory:", &handle,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX, nullptr);
  SqliteDatabase database(handle, bytes.size());
  if (opened != SQLITE_OK) return Error{"SQLite cannot be initialized"};
  const auto size = static_cast<sqlite3_int64>(bytes.size());
  if (sqlite3_deserialize(handle, "main", reinterpret_cast<unsigned char*>(bytes.data()), size,
                          size, SQLITE_DESERIALIZE_READONLY) != SQLITE_OK) {
    return Error{fmt::format("the SQLite database cannot be opened: {}", sqlite3_errmsg(handle))};
  }
  // A hostile database must not execute its own code or that of modules, nor run forever.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_drop_modules(handle, nullptr);
  sqlite3_limit(
      handle, SQLITE_LIMIT_LENGTH,
      static_cast<int>(std::min<size_t>(std::max(bytes.size(), kShortestLimit), INT_MAX)));
  sqlite3_progress_handler(handle, kStepsPerCheck, &TakeStepsOf, database.budget_.get());
  SqliteRows names(handle, "SELECT name FROM sqlite_schema WHERE type = 'table'",
                   *database.budget_);
  while (names.Next()) database.tables_.try_emplace(std::string(names.Text(0)));
  if (!names.error().empty()) {
    return Error{fmt::format("the SQLite database is damaged or encrypted: {}", names.error())};
  }
  for (auto& [table, columns] : database.tables_) {
    SqliteRows infos(handle, fmt::format("PRAGMA table_info({})", Quoted(table)),
                     *database.budget_);
    enum { kNumber, kName };  // the first columns of the result
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
      database_.get(), fmt::format("SELECT {} FROM {} {}", list, Quoted(table), rest), *budget_);
}

std::string SqliteDatabase::Refusal() const {
  constexpr size_t kMost = 8;
  std::string text = "an SQLite database, but neither from Nsight Systems nor from nvprof: it has ";
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

int64_t SqliteDatabase::LastRow(std::string_view table) const {
  if (!HasTable(table)) return 0;
  SqliteRows last(database_.get(), fmt::format("SELECT max(rowid) FROM {}", Quoted(table)),
                  *budget_);
  return last.Next() ? last.Integer(0) : 0;
}

}  // namespace warpsight
