#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace warpsight {

struct QueryColumn {
  enum class Kind : uint8_t { kText, kNumber, kBoolean };

  std::string name;
  std::string type;  // as SQL names it: BIGINT, DECIMAL(18,3), VARCHAR[]
  Kind kind;
};

// Text of a value, or nothing for NULL. Numbers are written as in SQL; a DOUBLE may be inf or nan.
using QueryCell = std::optional<std::string_view>;

// Takes the result of a query while it is computed. Called from the thread that called RunQuery.
class QuerySink {
 public:
  virtual ~QuerySink() = default;
  // Once, before the rows.
  virtual void Columns(std::span<const QueryColumn> columns) = 0;
  // The cells are valid during the call. Returning false ends the query without an error.
  virtual bool Row(std::span<const QueryCell> cells) = 0;
};

// What a query may use; by default whatever the machine has.
struct QueryLimits {
  std::chrono::milliseconds time{0};  // 0: any
  size_t memory_bytes = 0;            // 0: DuckDB's choice
  unsigned threads = 0;               // 0: all cores
};

// Runs SQL on the profile file `path`. The database is read-only and closed off: no statement can
// write to it, read or write another file, load an extension or change these settings. Of several
// statements the last one's result is given. The error is one line; its code is "timeout" when the
// time was over, that of OpenProfile when the file cannot be used, and "sql-error" otherwise.
Status RunQuery(const std::string& path, const std::string& sql, QuerySink& sink,
                const QueryLimits& limits = {});

}  // namespace warpsight
