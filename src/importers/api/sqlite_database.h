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

// Limits for reading a database: rows, bytes of texts and steps of SQLite, in proportion to the
// size of the file. Without limits, pages that form a cycle could yield endless rows, an endless
// search without any row, or texts longer than the file.
class SqliteBudget {
 public:
  explicit SqliteBudget(size_t bytes);

  int64_t rows() const { return rows_; }              // of one SELECT
  int64_t text_bytes() const { return text_bytes_; }  // of one SELECT
  // Uses up steps of this connection; false if none are left.
  bool TakeSteps(int64_t steps);
  bool exhausted() const { return steps_ < 0; }

 private:
  int64_t rows_;
  int64_t text_bytes_;
  int64_t steps_;
};

// The rows of one SELECT. Views of texts are valid until the next row.
class SqliteRows {
 public:
  SqliteRows(sqlite3* database, const std::string& sql, const SqliteBudget& budget);
  ~SqliteRows();
  SqliteRows(const SqliteRows&) = delete;
  SqliteRows& operator=(const SqliteRows&) = delete;

  // False at the end, or if the database is damaged: see error().
  bool Next();
  const std::string& error() const { return error_; }

  bool IsNull(int column) const;
  int64_t Integer(int column) const;                     // 0 for null
  int64_t IntegerOr(int column, int64_t missing) const;  // `missing` for null
  double Real(int column) const;
  std::string_view Text(int column) const;  // "" for null; bytes as they are, maybe not UTF-8
  std::string_view Blob(int column) const;

 private:
  std::string_view Bytes(const void* bytes, int column) const;

  sqlite3* database_;
  const SqliteBudget& budget_;
  sqlite3_stmt* statement_ = nullptr;
  int64_t rows_left_;
  mutable int64_t text_bytes_left_;  // negative: the limit was exceeded
  std::string error_;
};

// A read-only database in memory. Each thread opens its own database object on the same bytes.
class SqliteDatabase {
 public:
  // The bytes must outlive the object; their header is changed if the database expects a journal
  // file. Returns an Error for files that are not databases, or that are encrypted or truncated
  // before the list of tables.
  static Result<SqliteDatabase> Open(std::span<char> bytes);

  // Tables with their columns, names as in the database. Views are left out: a damaged file could
  // make them run forever.
  const std::map<std::string, std::set<std::string>, std::less<>>& tables() const {
    return tables_;
  }
  bool HasTable(std::string_view table) const { return tables_.find(table) != tables_.end(); }
  bool HasColumn(std::string_view table, std::string_view column) const;

  // Selects the named columns of a table, in that order; columns that the table lacks are NULL.
  // `rest` follows the table's name, as in "WHERE x = 1 ORDER BY start".
  std::unique_ptr<SqliteRows> Select(std::string_view table,
                                     const std::vector<std::string_view>& columns,
                                     std::string_view rest = "") const;
  // The error message for a database of another program; it names some of its tables.
  std::string Refusal() const;
  // The largest rowid of a table, used to read it in ranges; 0 if it is empty.
  int64_t LastRow(std::string_view table) const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  SqliteDatabase(sqlite3* database, size_t bytes)
      : budget_(std::make_unique<SqliteBudget>(bytes)), database_(database) {}

  std::unique_ptr<SqliteBudget> budget_;  // SQLite holds a pointer to it
  std::unique_ptr<sqlite3, Close> database_;
  std::map<std::string, std::set<std::string>, std::less<>> tables_;
};

}  // namespace warpsight
