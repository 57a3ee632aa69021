#include "store/query_engine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <vector>

#include "store/open_profile.h"
#include "store/query_protocol.h"
#include "store/stored_tables.h"

namespace warpsight::store {
namespace {

bool IsPresent(const Chunk& chunk, size_t column, size_t row) {
  const uint64_t* validity = chunk.validity(column);
  return validity == nullptr || (validity[row / 64] >> (row % 64) & 1) != 0;
}

std::string_view TextAt(const Chunk& chunk, size_t column, size_t row) {
  auto* values = static_cast<duckdb_string_t*>(const_cast<void*>(chunk.data(column)));
  return {duckdb_string_t_data(&values[row]), duckdb_string_t_length(values[row])};
}

QueryColumn::Kind KindOf(std::string_view type) {
  constexpr std::array<std::string_view, 12> kNumbers = {
      "TINYINT",   "SMALLINT", "INTEGER", "BIGINT",   "HUGEINT", "UTINYINT",
      "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT", "FLOAT",   "DOUBLE"};
  if (type == "BOOLEAN") return QueryColumn::Kind::kBoolean;
  const bool decimal = type.starts_with("DECIMAL(") && type.ends_with(')');
  const bool number = std::find(kNumbers.begin(), kNumbers.end(), type) != kNumbers.end();
  return decimal || number ? QueryColumn::Kind::kNumber : QueryColumn::Kind::kText;
}

std::string WithoutSemicolon(std::string_view sql) {
  while (!sql.empty() &&
         (sql.back() == ';' || std::isspace(static_cast<unsigned char>(sql.back())) != 0)) {
    sql.remove_suffix(1);
  }
  return std::string(sql);
}

// The columns of a query, or an error for anything but a single query (PRAGMA, EXPLAIN, a mistake).
Result<std::vector<QueryColumn>> Describe(Connection& connection, const std::string& sql) {
  auto rows = connection.Query("DESCRIBE " + sql);
  if (!rows.ok()) return rows.error();
  std::vector<QueryColumn> columns;
  Status status = rows->ForEachChunk([&](const Chunk& chunk) -> Status {
    for (size_t row = 0; row < chunk.rows(); ++row) {
      const std::string type(TextAt(chunk, 1, row));
      columns.push_back({std::string(TextAt(chunk, 0, row)), type, KindOf(type)});
    }
    return {};
  });
  if (!status.ok()) return status.error();
  return columns;
}

// Passes rows whose columns all have type VARCHAR to the sink.
Status StreamRows(Rows& rows, QuerySink& sink) {
  // If the sink wants no more rows, an error ends the stream.
  bool stopped = false;
  std::vector<QueryCell> cells(rows.columns());
  Status status = rows.ForEachChunk([&](const Chunk& chunk) -> Status {
    for (size_t row = 0; row < chunk.rows(); ++row) {
      for (size_t i = 0; i < cells.size(); ++i) {
        cells[i].reset();
        if (IsPresent(chunk, i, row)) cells[i] = TextAt(chunk, i, row);
      }
      if (!sink.Row(cells)) {
        stopped = true;
        return Error{"stopped"};
      }
    }
    return {};
  });
  return stopped ? Status() : status;
}

// Lets DuckDB convert every column to text, whatever its type.
Status RunDescribed(Connection& connection, const std::string& sql,
                    const std::vector<QueryColumn>& columns, QuerySink& sink) {
  std::vector<std::string> names;
  std::vector<std::string> casts;
  for (size_t i = 0; i < columns.size(); ++i) {
    names.push_back(fmt::format("c{}", i));
    casts.push_back(fmt::format("CAST(c{} AS VARCHAR)", i));
  }
  // The line break ends a comment at the end of the user's SQL.
  auto rows = connection.Query(fmt::format("SELECT {} FROM ({}\n) AS query({})",
                                           fmt::join(casts, ", "), sql, fmt::join(names, ", ")));
  if (!rows.ok()) return rows.error();
  sink.Columns(columns);
  return StreamRows(*rows, sink);
}

// For statements that cannot be used inside another query. Their results are texts, booleans and
// counts.
Status RunPlain(Connection& connection, const std::string& sql, QuerySink& sink) {
  auto rows = connection.QueryLast(sql);
  if (!rows.ok()) return rows.error();
  std::vector<QueryColumn> columns;
  for (size_t i = 0; i < rows->columns(); ++i) {
    const std::string type(PlainTypeName(rows->type(i)));
    if (type.empty()) return Error{"a result of this type needs a single SELECT statement"};
    columns.push_back({std::string(rows->name(i)), type, KindOf(type)});
  }
  sink.Columns(columns);
  bool stopped = false;
  std::vector<std::string> texts(columns.size());
  std::vector<QueryCell> cells(columns.size());
  Status status = rows->ForEachChunk([&](const Chunk& chunk) -> Status {
    for (size_t row = 0; row < chunk.rows(); ++row) {
      for (size_t i = 0; i < cells.size(); ++i) {
        cells[i].reset();
        if (!IsPresent(chunk, i, row)) continue;
        texts[i] = PlainText(rows->type(i), chunk.data(i), row);
        cells[i] = texts[i];
      }
      if (!sink.Row(cells)) {
        stopped = true;
        return Error{"stopped"};
      }
    }
    return {};
  });
  return stopped ? Status() : status;
}

Error QueryError(const std::string& message) {
  const auto begins = [&](const char* words) { return message.starts_with(words); };
  if (begins("Out of Memory Error")) return Error{message, kOutOfMemory};
  if (message.find("disabled by configuration") != std::string::npos ||
      message.find("configuration has been locked") != std::string::npos) {
    return Error{"a query cannot use other files, extensions or settings (" + message + ")",
                 "sql-error"};
  }
  if (begins("Catalog Error") || begins("Binder Error")) {
    return Error{
        message + " (SHOW TABLES and DESCRIBE list tables and columns; see docs/schema.md)",
        "sql-error"};
  }
  return Error{message, "sql-error"};
}

}  // namespace

Status RunQueryHere(const EngineOptions& options, const std::string& sql, QuerySink& sink) {
  const std::string statement = WithoutSemicolon(sql);
  if (statement.empty()) return Error{"there is no SQL to run", "sql-error"};
  auto opened = AttachProfile(options.path,
                              {{"threads", std::to_string(options.threads)},
                               {"memory_limit", fmt::format("{}B", options.memory_bytes)}},
                              options.descriptor);
  if (!opened.ok()) return opened.error();
  auto connection = Connection::Open(opened->database);
  if (!connection.ok()) return DamagedError(options.path, connection.error());
  // The file was checked to be a profile, so its names may be used unqualified.
  if (Status status = connection->Run(fmt::format("USE {}", kAttachedCatalog)); !status.ok()) {
    return DamagedError(options.path, status.error());
  }
  if (opened->schema_version != kSchemaVersion) sink.EarlierSchema(opened->schema_version);
  const auto columns = Describe(*connection, statement);
  const Status status = columns.ok() ? RunDescribed(*connection, statement, *columns, sink)
                                     : RunPlain(*connection, statement, sink);
  return status.ok() ? Status() : QueryError(status.error().message);
}

}  // namespace warpsight::store
