#pragma once

#include <duckdb.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

// Wraps DuckDB's C API with owning types and Status instead of handles and codes. Errors contain
// the first line of DuckDB's message; callers add the file and the action that failed.
namespace warpsight::store {

// DuckDB's message without its kind ("IO Error: "), its stack trace and its advice.
Error DuckError(std::string_view message);

// An open database file. Closing does not wait and does not write uncommitted data.
class Database {
 public:
  using Option = std::pair<const char*, std::string>;

  static Result<Database> Open(const std::string& path, const std::vector<Option>& options);

 private:
  friend class Connection;
  struct Close {
    void operator()(duckdb_database database) const { duckdb_close(&database); }
  };
  std::unique_ptr<_duckdb_database, Close> database_;
};

// Up to 2048 rows of a result.
class Chunk {
 public:
  size_t rows() const { return duckdb_data_chunk_get_size(chunk_.get()); }
  duckdb_vector column(size_t index) const {
    return duckdb_data_chunk_get_vector(chunk_.get(), index);
  }
  const void* data(size_t column_index) const {
    return duckdb_vector_get_data(column(column_index));
  }
  // One bit per row, set if the row has a value; null if all rows have one.
  const uint64_t* validity(size_t column_index) const {
    return duckdb_vector_get_validity(column(column_index));
  }

 private:
  friend class Rows;
  struct Destroy {
    void operator()(duckdb_data_chunk chunk) const { duckdb_destroy_data_chunk(&chunk); }
  };
  explicit Chunk(duckdb_data_chunk chunk) : chunk_(chunk) {}
  std::unique_ptr<_duckdb_data_chunk, Destroy> chunk_;
};

// The result of a query, computed while it is read. Uses its Connection, which must outlive it and
// must not run anything else in the meantime.
class Rows {
 public:
  Rows(Rows&& other) noexcept : result_(std::exchange(other.result_, {})) {}
  Rows& operator=(Rows&&) = delete;
  ~Rows() { duckdb_destroy_result(&result_); }

  size_t columns() { return duckdb_column_count(&result_); }
  std::string_view name(size_t column) { return duckdb_column_name(&result_, column); }
  duckdb_type type(size_t column) { return duckdb_column_type(&result_, column); }
  duckdb_logical_type logical_type(size_t column) {
    return duckdb_column_logical_type(&result_, column);
  }

  // Calls visit(const Chunk&) for each chunk in order, until it returns an error.
  Status ForEachChunk(const std::function<Status(const Chunk&)>& visit);

 private:
  friend class Connection;
  explicit Rows(const duckdb_result& result) : result_(result) {}
  duckdb_result result_{};
};

// The SQL name of a type that PlainText() can write; "" for other types.
std::string_view PlainTypeName(duckdb_type type);
// The value in row `row` of a column of such a type.
std::string PlainText(duckdb_type type, const void* values, size_t row);

// A session on a database; one thread at a time. The Database must outlive it.
class Connection {
 public:
  static Result<Connection> Open(const Database& database);

  // Runs statements and ignores their rows.
  Status Run(const std::string& sql);
  // Runs one statement and streams its rows.
  Result<Rows> Query(const std::string& sql);
  // Runs several statements and streams the rows of the last one.
  Result<Rows> QueryLast(const std::string& sql);

  duckdb_connection get() const { return connection_.get(); }

 private:
  static Result<Rows> Execute(duckdb_prepared_statement statement, duckdb_state prepared);
  struct Disconnect {
    void operator()(duckdb_connection connection) const { duckdb_disconnect(&connection); }
  };
  std::unique_ptr<_duckdb_connection, Disconnect> connection_;
};

// Adds rows of text and numbers to a small table, value by value.
class Appender {
 public:
  static Result<Appender> Open(const Connection& connection, const char* table);

  void Add(uint32_t value) { duckdb_append_uint32(appender_.get(), value); }
  void Add(std::string_view text) {
    duckdb_append_varchar_length(appender_.get(), text.data(), text.size());
  }
  void AddBlob(std::string_view bytes) {
    duckdb_append_blob(appender_.get(), bytes.data(), bytes.size());
  }
  void AddNull() { duckdb_append_null(appender_.get()); }
  Status EndRow();
  // Flushes the added rows; without this call, rows may be lost.
  Status Finish();

 private:
  Status LastError();
  struct Destroy {
    void operator()(duckdb_appender appender) const { duckdb_appender_destroy(&appender); }
  };
  std::unique_ptr<_duckdb_appender, Destroy> appender_;
};

}  // namespace warpsight::store
