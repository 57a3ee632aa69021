#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/unfinished_folder.h"
#include "base/utf8.h"
#include "store/arrow_stream.h"
#include "store/database.h"
#include "store/profile_file.h"
#include "store/profile_place.h"
#include "store/text.h"
#include "store/views.h"

namespace warpsight {
namespace {

using store::ArrowTableStream;
using store::Connection;
using store::StoredColumn;
using store::StoredTable;
using store::StoredType;

// The name of the Arrow stream that DuckDB reads while a table is written.
constexpr const char* kSource = "warpsight_source";

// Bit packing suits the columns of a trace (increasing times, small numbers, runs of equal values),
// and not letting DuckDB try every method on every column saves a tenth of the time. The few real
// numbers are not compressed: DuckDB 1.4 compresses -0.0 to 0.0.
std::string CreateTableSql(const StoredTable& table) {
  std::vector<std::string> columns;
  for (const StoredColumn& column : table.columns) {
    const bool pack = column.type != StoredType::kReal;
    columns.push_back(fmt::format("\"{}\" {} USING COMPRESSION {}", column.name,
                                  store::SqlNameOf(column.type),
                                  pack ? "bitpacking" : "uncompressed"));
  }
  return fmt::format("CREATE TABLE {} ({})", table.name, fmt::join(columns, ", "));
}

bool HasValues(const StoredColumn& column) {
  const auto any = [&]<typename T>(const T* values) {
    const T missing = *static_cast<const T*>(store::MissingValueOf(column.type));
    return std::any_of(values, values + column.size(), [=](T value) { return value != missing; });
  };
  switch (store::WidthOf(column.type)) {
    case 8:
      return column.type == StoredType::kReal ? any(static_cast<const double*>(column.data()))
                                              : any(static_cast<const int64_t*>(column.data()));
    case 4:
      return any(static_cast<const uint32_t*>(column.data()));
    default:
      return any(static_cast<const uint8_t*>(column.data()));
  }
}

Status WriteTable(Connection& connection, const StoredTable& table, Progress& progress) {
  if (Status status = connection.Run(CreateTableSql(table)); !status.ok()) return status;
  // Columns without any value are omitted: they get their default, NULL.
  std::vector<const StoredColumn*> columns;
  std::vector<std::string> names;
  for (const StoredColumn& column : table.columns) {
    WS_CHECK(column.size() == table.rows || column.size() == 0);
    if (!HasValues(column)) continue;
    columns.push_back(&column);
    names.push_back(fmt::format("\"{}\"", column.name));
  }
  if (table.rows == 0) return {};
  if (columns.empty()) {
    return connection.Run(fmt::format("INSERT INTO {} (\"{}\") SELECT NULL FROM range({})",
                                      table.name, table.columns[0].name, table.rows));
  }
  ArrowTableStream stream(table, columns, progress);
  if (duckdb_arrow_scan(connection.get(), kSource, stream.get()) != DuckDBSuccess) {
    return Error{fmt::format("DuckDB did not accept the table {}", table.name)};
  }
  return connection.Run(fmt::format("INSERT INTO {} ({}) SELECT * FROM {}", table.name,
                                    fmt::join(names, ", "), kSource));
}

// DuckDB's texts must be UTF-8, while the strings of a trace may be any bytes.
Status WriteStrings(Connection& connection, const StringPool& strings, Progress& progress) {
  Status status = connection.Run(
      "CREATE TABLE strings (id UINTEGER USING COMPRESSION bitpacking, text VARCHAR, raw BLOB)");
  if (!status.ok()) return status;
  auto appender = store::Appender::Open(connection, "strings");
  if (!appender.ok()) return appender.error();
  for (uint32_t id = 0; id < strings.size(); ++id) {
    const std::string_view text = strings.View(MakeId<StringId>(id));
    appender->Add(id);
    if (IsUtf8(text)) {
      appender->Add(text);
      appender->AddNull();
    } else {
      appender->Add(RepairUtf8(text));
      appender->AddBlob(text);
    }
    if (status = appender->EndRow(); !status.ok()) return status;
    if (id % 4096 == 0 && progress.cancelled()) return Error{"canceled"};
  }
  return appender->Finish();
}

Status WriteMeta(Connection& connection, const Trace& trace) {
  Status status = connection.Run("CREATE TABLE warpsight (key VARCHAR, value VARCHAR)");
  if (!status.ok()) return status;
  auto appender = store::Appender::Open(connection, "warpsight");
  if (!appender.ok()) return appender.error();
  const auto add = [&](std::string_view key, std::string_view value) {
    if (!status.ok()) return;
    appender->Add(key);
    appender->Add(value);
    status = appender->EndRow();
  };
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  add("schema_version", std::to_string(store::kSchemaVersion));
  add("program_version", WARPSIGHT_VERSION);
  add("created", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", now));
  add("profile_name", trace.profile_name);
  add("origin_ns", std::to_string(trace.origin_ns));
  if (trace.origin_unix_ns != kMissing) {
    add("origin_unix_ns", std::to_string(trace.origin_unix_ns));
  }
  add("end_ns", std::to_string(trace.end));
  if (!status.ok()) return status;
  return appender->Finish();
}

Status WriteAll(const Profile& profile, Connection& connection, Progress& progress) {
  const std::vector<StoredTable> tables = store::ListTables(profile);
  int64_t rows = 0;
  for (const StoredTable& table : tables) rows += static_cast<int64_t>(table.rows);
  progress.Begin("saving", rows);

  Status status = connection.Run("BEGIN TRANSACTION");
  if (status.ok()) status = WriteMeta(connection, profile.trace);
  if (status.ok()) status = WriteStrings(connection, profile.trace.strings, progress);
  for (const StoredTable& table : tables) {
    if (status.ok()) status = WriteTable(connection, table, progress);
    if (status.ok() && progress.cancelled()) status = Error{"canceled"};
  }
  if (status.ok()) status = connection.Run(fmt::format("DROP VIEW IF EXISTS {}", kSource));
  for (const store::View& view : store::Views()) {
    if (status.ok()) status = connection.Run(store::CreateViewSql(view));
  }
  if (status.ok()) status = connection.Run("COMMIT");
  return status;
}

// DuckDB gives every table separate blocks, so small profiles need small blocks. From this size on,
// larger blocks are better: below 64 KB, DuckDB 1.4 does not pack 8-byte columns (54 bytes per
// event instead of 11); its default of 256 KB takes 13.
const char* BlockSizeFor(const Profile& profile) {
  constexpr size_t kSmallRows = 30'000;
  size_t rows = 0;
  for (const StoredTable& table : store::ListTables(profile)) rows += table.rows;
  return rows < kSmallRows ? "16384" : "65536";
}

Status WriteDatabase(const Profile& profile, const std::string& path, Progress& progress) {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  auto database = store::Database::Open(path, {{"threads", std::to_string(cores)},
                                               {"memory_limit", "600MB"},
                                               {"default_block_size", BlockSizeFor(profile)},
                                               // So that the single commit writes the file itself,
                                               // and no log remains.
                                               {"checkpoint_threshold", "1KB"}});
  if (!database.ok()) return database.error();
  auto connection = store::Connection::Open(*database);
  if (!connection.ok()) return connection.error();
  Status status = WriteAll(profile, *connection, progress);
  if (status.ok()) status = connection->Run("CHECKPOINT");
  return status;
}

// The name of the database in the private folder, in which DuckDB also puts its own files.
constexpr const char* kDatabase = "profile";

Status SaveTo(const Profile& profile, const OutputPlace& place, Progress& progress) {
  auto folder = UnfinishedFolder::CreateBeside(place.target());
  if (!folder.ok()) return folder.error();
  const std::string database = folder->Path(kDatabase);
  if (Status status = WriteDatabase(profile, database, progress); !status.ok()) {
    return Error{store::ReasonOf(status.error().message, database)};
  }
  if (Status status = CheckNoLog(place.target()); !status.ok()) return status;
  return place.Fill(*folder, kDatabase);
}

}  // namespace

Status SaveProfile(const Profile& profile, const OutputPlace& place, Progress& progress) {
  Status status = SaveTo(profile, place, progress);
  if (status.ok()) return status;
  if (progress.cancelled()) return Error{fmt::format("saving {} was canceled", place.path())};
  return CannotSave(place.path(), status.error());
}

Status SaveProfile(const Profile& profile, const std::string& path, Progress& progress) {
  const auto place = FindProfilePlace(path);
  if (!place.ok()) return place.error();
  return SaveProfile(profile, *place, progress);
}

}  // namespace warpsight
