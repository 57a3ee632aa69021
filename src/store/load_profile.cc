#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "model/integrity.h"
#include "store/catalog.h"
#include "store/earlier_schemas.h"
#include "store/held_file.h"
#include "store/open_profile.h"
#include "store/profile_file.h"
#include "store/stored_tables.h"

namespace warpsight {
namespace {

using store::Chunk;
using store::Connection;
using store::Database;
using store::OpenedProfile;
using store::StoredColumn;
using store::StoredTable;
using store::StoredType;

// The number of columns of a large table that one thread reads at a time. Work is divided by
// columns because ranges of rows would need a filter, which makes DuckDB copy every value once
// more.
constexpr size_t kGroupColumns = 4;
constexpr size_t kLargeRows = 50'000;

// Some columns of a table.
struct Group {
  const StoredTable* table;
  std::vector<const StoredColumn*> columns;

  size_t values() const { return table->rows * columns.size(); }
};

// Sets values without a validity bit to the missing value.
template <typename T>
void FillMissing(T* values, size_t rows, const uint64_t* validity, T missing) {
  for (size_t begin = 0; begin < rows; begin += 64) {
    const uint64_t present = validity[begin / 64];
    if (present == ~uint64_t{0}) continue;
    const size_t count = std::min<size_t>(64, rows - begin);
    for (size_t i = 0; i < count; ++i) {
      values[begin + i] = (present >> i & 1) != 0 ? values[begin + i] : missing;
    }
  }
}

// Appends a column of a chunk to a column of the model.
template <typename T>
void AppendColumn(const StoredColumn& column, const Chunk& chunk, size_t index) {
  auto* values = static_cast<T*>(column.Append(chunk.data(index), chunk.rows()));
  const uint64_t* validity = chunk.validity(index);
  if (validity == nullptr) return;
  FillMissing(values, chunk.rows(), validity,
              *static_cast<const T*>(store::MissingValueOf(column.type)));
}

template <typename T>
void FillColumn(const StoredColumn& column, size_t rows) {
  std::fill_n(static_cast<T*>(column.Resize(rows)), rows,
              *static_cast<const T*>(store::MissingValueOf(column.type)));
}

void FillWithMissing(const StoredColumn& column, size_t rows) {
  switch (column.type) {
    case StoredType::kInteger:
      return FillColumn<int64_t>(column, rows);
    case StoredType::kReal:
      return FillColumn<double>(column, rows);
    case StoredType::kText:
    case StoredType::kRow:
      return FillColumn<uint32_t>(column, rows);
    case StoredType::kKind:
      return FillColumn<uint8_t>(column, rows);
  }
}

// Reads the tables of a file whose catalog was checked. Values are read unchanged; whether they are
// valid is checked afterwards.
class Loader {
 public:
  // Fills the vectors behind `tables` and `strings`.
  Loader(const OpenedProfile& opened, uint64_t file_bytes, std::vector<StoredTable> tables,
         StringPool& strings)
      : database_(opened.database),
        schema_version_(opened.schema_version),
        file_bytes_(file_bytes),
        tables_(std::move(tables)),
        strings_(strings) {}

  Status Load() {
    if (Status status = CheckCatalog(); !status.ok()) return status;
    if (Status status = CountRows(); !status.ok()) return status;
    LeaveOutIds();
    for (const LackingColumn& lacking : lacking_) {
      FillWithMissing(lacking.column, tables_[lacking.table].rows);
    }
    const std::vector<Group> groups = MakeGroups();
    // Reading the strings is a task that cannot be divided, so it comes first.
    std::vector<Status> statuses(groups.size() + 1);
    tbb::parallel_for(
        tbb::blocked_range<size_t>(0, statuses.size(), 1),
        [&](const tbb::blocked_range<size_t>& range) {
          for (size_t i = range.begin(); i < range.end(); ++i) {
            statuses[i] = i == 0 ? ReadStrings() : ReadGroup(groups[i - 1]);
          }
        },
        tbb::simple_partitioner());
    for (const Status& status : statuses) {
      if (!status.ok()) return status;
    }
    return {};
  }

 private:
  static std::string InFile(std::string_view table) {
    return fmt::format("{}.main.{}", store::kAttachedCatalog, table);
  }

  // A current column that this file of an earlier schema lacks.
  struct LackingColumn {
    size_t table;
    StoredColumn column;
  };

  Status CheckCatalog() {
    auto connection = Connection::Open(database_);
    if (!connection.ok()) return connection.error();
    auto catalog = store::Catalog::Read(*connection);
    if (!catalog.ok()) return catalog.error();
    Status status = catalog->Check(tables_, schema_version_, file_bytes_);
    if (status.ok()) TakeOutLacking(*catalog);
    return status;
  }

  void TakeOutLacking(const store::Catalog& catalog) {
    for (size_t t = 0; t < tables_.size(); ++t) {
      std::erase_if(tables_[t].columns, [&](const StoredColumn& column) {
        const bool lacks = catalog.Lacks(schema_version_, tables_[t].name, column.name);
        if (lacks) lacking_.push_back({t, column});
        return lacks;
      });
    }
  }

  Status CountRows() {
    std::vector<std::string> counts;
    for (const StoredTable& table : tables_) {
      counts.push_back(table.columns.empty()
                           ? "0::BIGINT"
                           : fmt::format("(SELECT count(*) FROM {})", InFile(table.name)));
    }
    auto connection = Connection::Open(database_);
    if (!connection.ok()) return connection.error();
    auto rows = connection->Query(fmt::format("SELECT {}", fmt::join(counts, ", ")));
    if (!rows.ok()) return rows.error();
    return rows->ForEachChunk([&](const Chunk& chunk) -> Status {
      for (size_t i = 0; i < tables_.size(); ++i) {
        tables_[i].rows = static_cast<size_t>(*static_cast<const int64_t*>(chunk.data(i)));
      }
      return {};
    });
  }

  // Whether a column refers to rows of a skipped table.
  bool NamesSkipped(const StoredColumn& column) const {
    return column.type == StoredType::kRow && tables_[column.limit_table].columns.empty();
  }

  // Sets ids of rows in skipped tables to missing, so that no code follows them.
  void LeaveOutIds() {
    for (StoredTable& table : tables_) {
      const auto first =
          std::stable_partition(table.columns.begin(), table.columns.end(),
                                [&](const StoredColumn& column) { return !NamesSkipped(column); });
      for (auto column = first; column != table.columns.end(); ++column) {
        FillWithMissing(*column, table.rows);
      }
      table.columns.erase(first, table.columns.end());
    }
  }

  std::vector<Group> MakeGroups() const {
    std::vector<Group> groups;
    for (const StoredTable& table : tables_) {
      if (table.rows == 0) continue;
      const size_t size = table.rows < kLargeRows ? table.columns.size() : kGroupColumns;
      for (size_t i = 0; i < table.columns.size(); ++i) {
        if (i % size == 0) groups.push_back({&table, {}});
        groups.back().columns.push_back(&table.columns[i]);
      }
    }
    std::stable_sort(groups.begin(), groups.end(),
                     [](const Group& a, const Group& b) { return a.values() > b.values(); });
    return groups;
  }

  Status ReadGroup(const Group& group) const {
    std::vector<std::string> names;
    for (const StoredColumn* column : group.columns) {
      names.push_back(fmt::format("\"{}\"", column->name));
      column->Reserve(group.table->rows);
    }
    auto connection = Connection::Open(database_);
    if (!connection.ok()) return connection.error();
    auto rows = connection->Query(
        fmt::format("SELECT {} FROM {}", fmt::join(names, ", "), InFile(group.table->name)));
    if (!rows.ok()) return rows.error();
    if (Status status = CheckTypes(group, *rows); !status.ok()) return status;
    size_t done = 0;
    Status status = rows->ForEachChunk([&](const Chunk& chunk) -> Status {
      if (chunk.rows() > group.table->rows - done) return CountError(group);
      for (size_t i = 0; i < group.columns.size(); ++i) {
        AppendValues(*group.columns[i], chunk, i);
      }
      done += chunk.rows();
      return {};
    });
    if (status.ok() && done != group.table->rows) return CountError(group);
    return status;
  }

  static Status CheckTypes(const Group& group, store::Rows& rows) {
    for (size_t i = 0; i < group.columns.size(); ++i) {
      if (rows.type(i) == TypeOf(group.columns[i]->type)) continue;
      return Error{
          fmt::format("{}.{} has an unexpected type", group.table->name, group.columns[i]->name)};
    }
    return {};
  }

  static duckdb_type TypeOf(StoredType type) {
    switch (type) {
      case StoredType::kInteger:
        return DUCKDB_TYPE_BIGINT;
      case StoredType::kReal:
        return DUCKDB_TYPE_DOUBLE;
      case StoredType::kText:
      case StoredType::kRow:
        return DUCKDB_TYPE_UINTEGER;
      case StoredType::kKind:
        return DUCKDB_TYPE_UTINYINT;
    }
    return DUCKDB_TYPE_INVALID;
  }

  static Error CountError(const Group& group) {
    return Error{fmt::format("{} has a different number of rows than declared", group.table->name)};
  }

  static void AppendValues(const StoredColumn& column, const Chunk& chunk, size_t index) {
    switch (column.type) {
      case StoredType::kInteger:
        return AppendColumn<int64_t>(column, chunk, index);
      case StoredType::kReal:
        return AppendColumn<double>(column, chunk, index);
      case StoredType::kText:
      case StoredType::kRow:
        return AppendColumn<uint32_t>(column, chunk, index);
      case StoredType::kKind:
        return AppendColumn<uint8_t>(column, chunk, index);
    }
  }

  Status ReadStrings() const {
    auto connection = Connection::Open(database_);
    if (!connection.ok()) return connection.error();
    if (Status status = CheckTextStorage(*connection); !status.ok()) return status;
    auto rows = connection->Query(
        fmt::format("SELECT \"id\", \"text\", \"raw\" FROM {}", InFile("strings")));
    if (!rows.ok()) return rows.error();
    if (rows->type(0) != DUCKDB_TYPE_UINTEGER || rows->type(1) != DUCKDB_TYPE_VARCHAR ||
        rows->type(2) != DUCKDB_TYPE_BLOB) {
      return Error{"strings has columns of unexpected types"};
    }
    uint64_t allowed = store::MemoryAllowance(file_bytes_);
    uint32_t next = 0;
    return rows->ForEachChunk([&](const Chunk& chunk) -> Status {
      const auto* ids = static_cast<const uint32_t*>(chunk.data(0));
      for (size_t row = 0; row < chunk.rows(); ++row, ++next) {
        auto text = TextOf(chunk, row);
        if (!text || ids[row] != next || text->size() > allowed ||
            Index(strings_.Intern(*text)) != next) {
          return Error{fmt::format("strings row {} was modified", next)};
        }
        allowed -= text->size();
      }
      return {};
    });
  }

  // Zstandard, which DuckDB uses only on request, compresses a gigabyte to kilobytes, and a chunk
  // of texts is decompressed before its size can be checked. With the other ways to store texts,
  // each takes at least its length.
  static Status CheckTextStorage(Connection& connection) {
    auto rows = connection.Query(
        fmt::format("SELECT count(*) FROM pragma_storage_info('{}') WHERE compression = 'ZSTD'",
                    InFile("strings")));
    if (!rows.ok()) return rows.error();
    return rows->ForEachChunk([&](const Chunk& chunk) -> Status {
      if (*static_cast<const int64_t*>(chunk.data(0)) == 0) return {};
      return Error{"strings uses a compression that profiles never use"};
    });
  }

  static std::optional<std::string_view> TextOf(const Chunk& chunk, size_t row) {
    for (const size_t column : {size_t{2}, size_t{1}}) {
      const uint64_t* validity = chunk.validity(column);
      if (validity != nullptr && (validity[row / 64] >> (row % 64) & 1) == 0) continue;
      auto* values = static_cast<duckdb_string_t*>(const_cast<void*>(chunk.data(column)));
      return std::string_view(duckdb_string_t_data(&values[row]),
                              duckdb_string_t_length(values[row]));
    }
    return std::nullopt;
  }

  const Database& database_;
  const int schema_version_;
  const uint64_t file_bytes_;
  std::vector<StoredTable> tables_;
  std::vector<LackingColumn> lacking_;
  StringPool& strings_;
};

Status ReadNumber(const HashMap<std::string, std::string>& meta, const char* key, bool required,
                  int64_t& out) {
  const auto found = meta.find(key);
  if (found == meta.end() && !required) return {};
  if (found != meta.end()) {
    const char* end = found->second.data() + found->second.size();
    const auto [stop, code] = std::from_chars(found->second.data(), end, out);
    if (code == std::errc() && stop == end) return {};
  }
  return Error{fmt::format("warpsight has no valid {}", key)};
}

Status ReadTraceFields(const HashMap<std::string, std::string>& meta, Trace& trace) {
  Status status = ReadNumber(meta, "origin_ns", true, trace.origin_ns);
  if (status.ok()) status = ReadNumber(meta, "origin_unix_ns", false, trace.origin_unix_ns);
  if (status.ok()) status = ReadNumber(meta, "end_ns", true, trace.end);
  if (const auto name = meta.find("profile_name"); name != meta.end()) {
    trace.profile_name = name->second;
  }
  return status;
}

// DuckDB gets no threads of its own: each query then runs in the thread that reads its rows.
Result<OpenedProfile> OpenForLoading(const std::string& path, int descriptor) {
  return store::AttachProfile(path, {{"threads", "1"}}, descriptor);
}

uint64_t FileBytes(const std::string& path, int descriptor) {
  std::error_code ignored;
  const std::string file = descriptor < 0 ? path : PathOfDescriptor(descriptor);
  return static_cast<uint64_t>(std::filesystem::file_size(file, ignored));
}

Status LoadTables(const OpenedProfile& opened, uint64_t file_bytes, std::vector<StoredTable> tables,
                  Trace& trace) {
  Status status = ReadTraceFields(opened.meta, trace);
  if (!status.ok()) return status;
  return Loader(opened, file_bytes, std::move(tables), trace.strings).Load();
}

}  // namespace

LoadOptions LoadOptions::WithoutEvents() {
  return {{"signatures", "launch_configs", "collectives", "host_extras", "gpu_extras",
           "host_ranges", "nvtx_ranges", "api_calls", "gpu_activities", "gpu_annotations", "syncs",
           "memory_events", "flows", "instants", "kernel_counters", "module_paths", "gaps"}};
}

Result<Profile> LoadProfile(const std::string& path, const LoadOptions& options) {
  auto opened = OpenForLoading(path, options.descriptor);
  if (!opened.ok()) return opened.error();
  if (opened->schema_version != store::kSchemaVersion) {
    return Error{
        fmt::format("{} was written by an older version (schema {})", path, opened->schema_version),
        kOlderSchema};
  }
  Profile profile;
  std::vector<StoredTable> tables = store::ListTables(profile);
  for (StoredTable& table : tables) {
    const bool skipped =
        std::find(options.skip.begin(), options.skip.end(), table.name) != options.skip.end();
    if (skipped) table.columns.clear();
  }
  Status status =
      LoadTables(*opened, FileBytes(path, options.descriptor), std::move(tables), profile.trace);
  if (!status.ok()) return store::DamagedError(path, status.error());
  std::string problem = CheckIntegrity(profile.trace);
  if (problem.empty()) problem = CheckFacts(profile.trace, profile.facts);
  if (!problem.empty()) return store::DamagedError(path, Error{problem});
  profile.trace.ReadInputs();
  IndexKernelNames(profile.facts, profile.trace.strings);
  return profile;
}

Result<StoredTrace> LoadTrace(const std::string& path, int descriptor) {
  auto opened = OpenForLoading(path, descriptor);
  if (!opened.ok()) return opened.error();
  StoredTrace stored;
  stored.schema_version = opened->schema_version;
  Trace& trace = stored.trace;
  Status status = LoadTables(*opened, FileBytes(path, descriptor), store::ListTables(trace), trace);
  if (!status.ok()) return store::DamagedError(path, status.error());
  store::ReplaceNumbers(stored.schema_version, trace);
  std::string problem = CheckIntegrity(trace);
  if (problem.empty() && store::UpgradeTrace(stored.schema_version, trace)) {
    problem = CheckIntegrity(trace);
  }
  if (!problem.empty()) return store::DamagedError(path, Error{problem});
  trace.ReadInputs();
  return stored;
}

}  // namespace warpsight
