#include "store/database.h"

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

// Messages are the text itself, or JSON around it when DuckDB calls the error internal.
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
  if (message.empty()) message = "DuckDB gave no reason";
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
  // The end and an error both come as no chunk.
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
