#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/held_file.h"

namespace warpsight {

struct QueryColumn {
  enum class Kind : uint8_t { kText, kNumber, kBoolean };

  std::string name;
  std::string type;  // SQL's name: BIGINT, DECIMAL(18,3), VARCHAR[]
  Kind kind;
};

// The text of a value; nullopt for NULL. Numbers are written as in SQL; a DOUBLE may be inf or nan.
using QueryCell = std::optional<std::string_view>;

// The value as JSON; null for NULL, inf and nan.
void AppendJsonValue(const QueryColumn& column, const QueryCell& cell, std::string& out);

// Receives the result of a query while it is computed. Called from the thread that called RunQuery.
class QuerySink {
 public:
  virtual ~QuerySink() = default;
  // Called first, and only for a profile of an earlier schema.
  virtual void EarlierSchema(int version) { (void)version; }
  // Called once, before the rows.
  virtual void Columns(std::span<const QueryColumn> columns) = 0;
  // The cells are valid during the call. Returning false ends the query without an error.
  virtual bool Row(std::span<const QueryCell> cells) = 0;
};

// The limits of a query.
struct QueryLimits {
  std::chrono::milliseconds time{0};  // 0: unlimited
  // The memory limit of DuckDB; 0: 40 % of the machine's memory. Its process may take twice as much
  // and 64 MB.
  uint64_t memory_bytes = 0;
  unsigned threads = 0;             // 0: all cores
  uint64_t row_bytes = 1ULL << 30;  // for one row of the result
  bool background = false;          // runs at lower priority
  // Called many times a second; if it returns true, the query is stopped immediately. May be empty.
  std::function<bool()> cancelled;
};

// Runs SQL on a profile in a separate process, so that no statement can crash, block or exhaust
// this one. The database is read-only: no statement can write to it, read or write another file,
// load an extension, change these settings or print anything. With several statements, the result
// is that of the last one. The error is one line; its code is
//   "timeout"        it exceeded the time limit
//   "query-stopped"  it needed too much memory, made DuckDB crash, or was canceled
//   "sql-error"      DuckDB's own error
//   "not-started"    no process could be started
// or, if the file cannot be opened, that of AttachProfile(). The process is this program, started
// with kQueryWorkerArgument: every program that calls this function must first pass its arguments
// to RanQueryWorker() (store/query_worker.h).
Status RunQuery(const HeldFile& file, const std::string& sql, QuerySink& sink,
                const QueryLimits& limits = {});
Status RunQuery(const std::string& path, const std::string& sql, QuerySink& sink,
                const QueryLimits& limits = {});

}  // namespace warpsight
