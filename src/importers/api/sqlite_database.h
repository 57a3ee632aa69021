#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace warpsight {

// Whether a file is an SQLite database, from its first bytes.
bool IsSqlite(std::string_view head);

// The rows of one SELECT. Views of texts are valid until the next row.
class SqliteRows {
 public:
  // More rows than `most` are treated as damage: cyclic pages yield endless rows.
  SqliteRows(sqlite3* database, const std::string& sql, int64_t most = INT64_MAX);
  ~SqliteRows();
  SqliteRows(const SqliteRows&) = delete;
  SqliteRows& operator=(const SqliteRows&) = delete;

  // False at the end, and where the database is damaged: see error().
  bool Next();
  const std::string& error() const { return error_; }

  bool IsNull(int column) const;
  int64_t Integer(int column) const;                     // 0 for null
  int64_t IntegerOr(int column, int64_t missing) const;  // `missing` for null
  double Real(int column) const;
  std::string_view Text(int column) const;  // "" for null; bytes as they are, maybe not UTF-8
  std::string_view Blob(int column) const;

 private:
  sqlite3* database_;
  sqlite3_stmt* statement_ = nullptr;
  int64_t left_;
  std::string error_;
};

// A database in memory, read-only. Every thread that reads at the same time opens one of its own on
// the same bytes.
class SqliteDatabase {
 public:
  // The bytes must outlive it; their header is changed where the database expects a journal beside
  // it. An Error for files that are not databases, or that are encrypted or truncated before the
  // list of tables.
  static Result<SqliteDatabase> Open(std::span<char> bytes);

  // Tables with their columns, names as in the database. Views are left out: a damaged file could
  // make them run forever.
  const std::map<std::string, std::set<std::string>, std::less<>>& tables() const {
    return tables_;
  }
  bool HasTable(std::string_view table) const { return tables_.find(table) != tables_.end(); }
  bool HasColumn(std::string_view table, std::string_view column) const;

  // SELECT of the named columns of a table, in that order; those that it lacks are NULL. `rest`
  // follows the table's name, as in "WHERE x = 1 ORDER BY start".
  std::unique_ptr<SqliteRows> Select(std::string_view table,
                                     const std::vector<std::string_view>& columns,
                                     std::string_view rest = "") const;
  // The error message for a database of another program: names some of its tables.
  std::string Refusal() const;
  // 0 where there is no such table.
  int64_t CountRows(std::string_view table) const;
  // The largest rowid of a table, to read it in ranges; 0 where it has none.
  int64_t LastRow(std::string_view table) const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  SqliteDatabase(sqlite3* database, size_t bytes)
      : database_(database), most_rows_(static_cast<int64_t>(bytes / kMinBytesPerRow)) {}

  // A cell of a table's page has a pointer to it, its length, its number and its header.
  static constexpr size_t kMinBytesPerRow = 5;

  std::unique_ptr<sqlite3, Close> database_;
  int64_t most_rows_;
  std::map<std::string, std::set<std::string>, std::less<>> tables_;
};

}  // namespace warpsight
