#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/units.h"

namespace warpsight::exporters::nsys_sqlite {

// Whether a SqliteWriter wrote the database.
bool IsOurDatabase(const std::string& path);

// A new SQLite database that is filled in one transaction. After the first failure, which is kept,
// nothing more is written.
class SqliteWriter {
 public:
  explicit SqliteWriter(const std::string& path);

  void Run(const std::string& sql);
  // Commits and closes.
  Status Finish();
  bool ok() const { return error_.empty(); }

 private:
  friend class RowWriter;
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  };
  void Check(int result);

  std::unique_ptr<sqlite3, Close> database_;
  std::string error_;
};

// Adds rows to a table, value by value, in the order of its columns.
class RowWriter {
 public:
  // Creates the table; `columns` as in CREATE TABLE.
  RowWriter(SqliteWriter& writer, std::string_view table, std::string_view columns);

  RowWriter& Add(int64_t value) {  // kMissing becomes NULL
    if (value == kMissing) return AddNull();
    sqlite3_bind_int64(statement_.get(), ++bound_, value);
    return *this;
  }
  // For columns that are never NULL.
  RowWriter& AddOr(int64_t value, int64_t otherwise) {
    return Add(value == kMissing ? otherwise : value);
  }
  RowWriter& Add(std::string_view text) {
    // The text outlives the row, which is written immediately.
    sqlite3_bind_text(statement_.get(), ++bound_, text.data(), static_cast<int>(text.size()),
                      SQLITE_STATIC);
    return *this;
  }
  RowWriter& AddNull() {
    sqlite3_bind_null(statement_.get(), ++bound_);
    return *this;
  }
  void EndRow();

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  SqliteWriter& writer_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bound_ = 0;
};

}  // namespace warpsight::exporters::nsys_sqlite
