#include "store/database.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace warpsight::store {
namespace {

struct DestroyPrepared {
  void operator()(duckdb_prepared_statement statement) const { duckdb_destroy_prepare(&statement); }
};
using Prepared = std::unique_ptr<_duckdb_prepared_statement, DestroyPrepared>;

struct DestroyPending {
  void operator()(duckdb_pending_result pending) const { duckdb_destroy_pending(&pending); }
};
using Pending = std::unique_ptr<_duckdb_pending_result, DestroyPending>;

struct DestroyExtracted {
  void operator()(duckdb_extracted_statements extracted) const {
    duckdb_destroy_extracted(&extracted);
  }
};
using Extracted = std::unique_ptr<_duckdb_extracted_statements, DestroyExtracted>;

class Config {
 public:
  Config() { duckdb_create_config(&config_); }
  Config(const Config&) = delete;
  Config& operator=(const Config&) = delete;
  ~Config() { duckdb_destroy_config(&config_); }

  Status Set(const char* name, const std::string& value) {
    if (duckdb_set_config(config_, name, value.c_str()) == DuckDBSuccess) return {};
    return Error{std::string("this DuckDB has no setting ") + name};
  }
  duckdb_config get() const { return config_; }

 private:
  duckdb_config config_ = nullptr;
};

// An error message is either the text itself or, for what DuckDB calls internal errors, JSON with
// the text.
std::string_view InnerMessage(std::string_view message) {
  constexpr std::string_view kKey = "\"exception_message\":\"";
  const size_t begin = message.find(kKey);
  if (begin == std::string_view::npos) return message;
  message.remove_prefix(begin + kKey.size());
  return message.substr(0, message.find("\","));
}

}  // namespace

Error DuckError(std::string_view message) {
  message = InnerMessage(message);
  message = message.substr(0, message.find('\n'));
  message = message.substr(0, message.find("\\n"));
  while (!message.empty() && std::isspace(static_cast<unsigned char>(message.back())) != 0) {
    message.remove_suffix(1);
  }
  if (message.empty()) message = "DuckDB reported no reason";
  return Error{std::string(message)};
}

Result<Database> Database::Open(const std::string& path, const std::vector<Option>& options) {
  Config config;
  for (const auto& [name, value] : options) {
    if (Status status = config.Set(name, value); !status.ok()) return status.error();
  }
  duckdb_database handle = nullptr;
  char* reason = nullptr;
  const duckdb_state state = duckdb_open_ext(path.c_str(), &handle, config.get(), &reason);
  const std::unique_ptr<char, decltype(&duckdb_free)> reason_owner(reason, &duckdb_free);
  Database database;
  database.database_.reset(handle);
  if (state != DuckDBSuccess) return DuckError(reason != nullptr ? reason : "");
  return database;
}

Status Rows::ForEachChunk(const std::function<Status(const Chunk&)>& visit) {
  for (;;) {
    const Chunk chunk(duckdb_fetch_chunk(result_));
    if (chunk.chunk_ == nullptr) break;
    if (Status status = visit(chunk); !status.ok()) return status;
  }
  // Both the end and an error are reported as a missing chunk.
  const char* reason = duckdb_result_error(&result_);
  if (reason != nullptr && *reason != '\0') return DuckError(reason);
  return {};
}

Result<Connection> Connection::Open(const Database& database) {
  duckdb_connection handle = nullptr;
  if (duckdb_connect(database.database_.get(), &handle) != DuckDBSuccess) {
    return Error{"no further DuckDB connection"};
  }
  Connection connection;
  connection.connection_.reset(handle);
  return connection;
}

Status Connection::Run(const std::string& sql) {
  duckdb_result result;
  const duckdb_state state = duckdb_query(get(), sql.c_str(), &result);
  Status status;
  if (state != DuckDBSuccess) {
    const char* reason = duckdb_result_error(&result);
    status = DuckError(reason != nullptr ? reason : "");
  }
  duckdb_destroy_result(&result);
  return status;
}

Result<Rows> Connection::Query(const std::string& sql) {
  duckdb_prepared_statement statement = nullptr;
  const duckdb_state prepared = duckdb_prepare(get(), sql.c_str(), &statement);
  return Execute(statement, prepared);
}

Result<Rows> Connection::QueryLast(const std::string& sql) {
  duckdb_extracted_statements extracted = nullptr;
  const idx_t count = duckdb_extract_statements(get(), sql.c_str(), &extracted);
  const Extracted owner(extracted);
  if (count == 0) {
    const char* reason = duckdb_extract_statements_error(extracted);
    return DuckError(reason != nullptr ? reason : "there is no SQL to run");
  }
  for (idx_t i = 0;; ++i) {
    duckdb_prepared_statement statement = nullptr;
    const duckdb_state prepared =
        duckdb_prepare_extracted_statement(get(), extracted, i, &statement);
    auto rows = Execute(statement, prepared);
    if (!rows.ok() || i + 1 == count) return rows;
    Status status = rows->ForEachChunk([](const Chunk&) { return Status(); });
    if (!status.ok()) return status.error();
  }
}

// Takes ownership of the statement.
Result<Rows> Connection::Execute(duckdb_prepared_statement statement, duckdb_state prepared) {
  const Prepared statement_owner(statement);
  if (prepared != DuckDBSuccess) {
    const char* reason = statement != nullptr ? duckdb_prepare_error(statement) : nullptr;
    return DuckError(reason != nullptr ? reason : "");
  }
  duckdb_pending_result pending = nullptr;
  const duckdb_state started = duckdb_pending_prepared_streaming(statement, &pending);
  const Pending pending_owner(pending);
  if (started != DuckDBSuccess) {
    const char* reason = pending != nullptr ? duckdb_pending_error(pending) : nullptr;
    return DuckError(reason != nullptr ? reason : "");
  }
  duckdb_result result{};
  const duckdb_state executed = duckdb_execute_pending(pending, &result);
  Rows rows(result);
  if (executed != DuckDBSuccess) {
    const char* reason = duckdb_result_error(&rows.result_);
    return DuckError(reason != nullptr ? reason : "");
  }
  return rows;
}

std::string_view PlainTypeName(duckdb_type type) {
  switch (type) {
    case DUCKDB_TYPE_BOOLEAN:
      return "BOOLEAN";
    case DUCKDB_TYPE_INTEGER:
      return "INTEGER";
    case DUCKDB_TYPE_BIGINT:
      return "BIGINT";
    case DUCKDB_TYPE_UINTEGER:
      return "UINTEGER";
    case DUCKDB_TYPE_UBIGINT:
      return "UBIGINT";
    case DUCKDB_TYPE_UTINYINT:
      return "UTINYINT";
    case DUCKDB_TYPE_HUGEINT:
      return "HUGEINT";
    case DUCKDB_TYPE_DOUBLE:
      return "DOUBLE";
    case DUCKDB_TYPE_VARCHAR:
      return "VARCHAR";
    default:
      return "";
  }
}

std::string PlainText(duckdb_type type, const void* values, size_t row) {
  const auto number = [&]<typename T>(const T* typed) { return fmt::format("{}", typed[row]); };
  switch (type) {
    case DUCKDB_TYPE_BOOLEAN:
      return static_cast<const bool*>(values)[row] ? "true" : "false";
    case DUCKDB_TYPE_INTEGER:
      return number(static_cast<const int32_t*>(values));
    case DUCKDB_TYPE_BIGINT:
      return number(static_cast<const int64_t*>(values));
    case DUCKDB_TYPE_UINTEGER:
      return number(static_cast<const uint32_t*>(values));
    case DUCKDB_TYPE_UBIGINT:
      return number(static_cast<const uint64_t*>(values));
    case DUCKDB_TYPE_UTINYINT:
      return number(static_cast<const uint8_t*>(values));
    case DUCKDB_TYPE_DOUBLE:
      return number(static_cast<const double*>(values));
    case DUCKDB_TYPE_HUGEINT: {
      const auto& huge = static_cast<const duckdb_hugeint*>(values)[row];
      return fmt::format("{}", static_cast<__int128>(huge.upper) << 64 | huge.lower);
    }
    case DUCKDB_TYPE_VARCHAR: {
      auto text = static_cast<const duckdb_string_t*>(values)[row];
      return std::string(duckdb_string_t_data(&text), duckdb_string_t_length(text));
    }
    default:
      return "";
  }
}

Result<Appender> Appender::Open(const Connection& connection, const char* table) {
  duckdb_appender handle = nullptr;
  const duckdb_state state = duckdb_appender_create(connection.get(), nullptr, table, &handle);
  Appender appender;
  appender.appender_.reset(handle);
  if (state != DuckDBSuccess) return appender.LastError().error();
  return appender;
}

Status Appender::EndRow() {
  return duckdb_appender_end_row(appender_.get()) == DuckDBSuccess ? Status() : LastError();
}

Status Appender::Finish() {
  return duckdb_appender_close(appender_.get()) == DuckDBSuccess ? Status() : LastError();
}

Status Appender::LastError() {
  const char* reason = appender_ != nullptr ? duckdb_appender_error(appender_.get()) : nullptr;
  return DuckError(reason != nullptr ? reason : "");
}

}  // namespace warpsight::store
