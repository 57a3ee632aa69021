#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <mutex>
#include <optional>

#include "store/open_profile.h"
#include "store/profile_file.h"
#include "store/stored_tables.h"

namespace warpsight {
namespace {

using store::Chunk;
using store::Connection;
using store::Database;
using store::StoredColumn;
using store::StoredTable;
using store::StoredType;

// Rows that one thread reads at a time: a few of DuckDB's row groups of 122880.
constexpr size_t kRangeRows = size_t{2} * 122880;

struct Range {
  const StoredTable* table;
  size_t first, rows;
  std::vector<void*> targets;  // where the values of row 0 of each column go
};

// Puts the missing value where the validity bit is not set.
template <typename T>
void FillMissing(T* values, size_t rows, const uint64_t* validity, T missing) {
  for (size_t begin = 0; begin < rows; begin += 64) {
    uint64_t absent = ~validity[begin / 64];
    if (absent == 0) continue;
    const size_t end = std::min(rows, begin + 64);
    for (size_t i = begin; i < end; ++i, absent >>= 1) {
      if ((absent & 1) != 0) values[i] = missing;
    }
  }
}

template <typename T>
bool AllBelow(const T* values, size_t rows, T limit, bool missing_allowed, T missing) {
  bool bad = false;
  for (size_t i = 0; i < rows; ++i) {
    bad |= values[i] >= limit && !(missing_allowed && values[i] == missing);
  }
  return !bad;
}

// Copies a chunk's column into the model; false when an id or a kind is out of range.
template <typename T>
bool CopyColumn(const StoredColumn& column, const Chunk& chunk, size_t index, T* target,
                size_t limit) {
  const size_t rows = chunk.rows();
  const T missing = *static_cast<const T*>(store::MissingValueOf(column.type));
  std::memcpy(target, chunk.data(index), rows * sizeof(T));
  const uint64_t* validity = chunk.validity(index);
  if (validity != nullptr) FillMissing(target, rows, validity, missing);
  if constexpr (std::is_unsigned_v<T>) {
    const auto most = static_cast<T>(std::min<size_t>(limit, std::numeric_limits<T>::max()));
    return AllBelow(target, rows, most, !column.required, missing);
  }
  return true;
}

class Loader {
 public:
  Loader(const Database& database, Profile& profile, const LoadOptions& options)
      : database_(database), profile_(profile), tables_(store::ListTables(profile)) {
    for (const std::string_view skipped : options.skip) {
      for (StoredTable& table : tables_) {
        if (table.name == skipped) table.columns.clear();
      }
    }
  }

  Status Load() {
    if (Status status = CountRows(); !status.ok()) return status;
    std::vector<Range> ranges = MakeRanges();
    // The strings are the longest task that cannot be split, so they come first.
    std::vector<Status> statuses(ranges.size() + 1);
    tbb::parallel_for(size_t{0}, statuses.size(), [&](size_t i) {
      statuses[i] = i == 0 ? ReadStrings() : ReadRange(ranges[i - 1]);
    });
    for (const Status& status : statuses) {
      if (!status.ok()) return status;
    }
    return {};
  }

 private:
  Status CountRows() {
    std::vector<std::string> counts = {"(SELECT count(*) FROM main.strings)"};
    for (const StoredTable& table : tables_) {
      counts.push_back(fmt::format("(SELECT count(*) FROM main.{})", table.name));
    }
    auto connection = Connection::Open(database_);
    if (!connection.ok()) return connection.error();
    auto rows = connection->Query(fmt::format("SELECT {}", fmt::join(counts, ", ")));
    if (!rows.ok()) return rows.error();
    return rows->ForEachChunk([&](const Chunk& chunk) -> Status {
      strings_ = static_cast<size_t>(*static_cast<const int64_t*>(chunk.data(0)));
      for (size_t i = 0; i < tables_.size(); ++i) {
        tables_[i].rows = static_cast<size_t>(*static_cast<const int64_t*>(chunk.data(i + 1)));
      }
      return {};
    });
  }

  std::vector<Range> MakeRanges() {
    std::vector<Range> ranges;
    for (const StoredTable& table : tables_) {
      if (table.columns.empty() || table.rows == 0) continue;
      std::vector<void*> targets;
      for (const StoredColumn& column : table.columns) targets.push_back(column.Resize(table.rows));
      for (size_t first = 0; first < table.rows; first += kRangeRows) {
        ranges.push_back({&table, first, std::min(kRangeRows, table.rows - first), targets});
      }
    }
    std::stable_sort(ranges.begin(), ranges.end(),
                     [](const Range& a, const Range& b) { return a.rows > b.rows; });
    return ranges;
  }

  Status ReadRange(const Range& range) const {
    std::vector<std::string> names;
    for (const StoredColumn& column : range.table->columns) {
      names.push_back(fmt::format("\"{}\"", column.name));
    }
    std::string sql =
        fmt::format("SELECT {} FROM main.{}", fmt::join(names, ", "), range.table->name);
    if (range.rows != range.table->rows) {
      sql +=
          fmt::format(" WHERE rowid >= {} AND rowid < {}", range.first, range.first + range.rows);
    }
    auto connection = Connection::Open(database_);
    if (!connection.ok()) return connection.error();
    auto rows = connection->Query(sql);
    if (!rows.ok()) return rows.error();
    for (size_t i = 0; i < range.table->columns.size(); ++i) {
      if (rows->type(i) != TypeOf(range.table->columns[i].type)) {
        return Error{fmt::format("{}.{} has an unexpected type", range.table->name,
                                 range.table->columns[i].name)};
      }
    }
    size_t done = 0;
    Status status = rows->ForEachChunk([&](const Chunk& chunk) -> Status {
      if (chunk.rows() > range.rows - done) return TornError(range);
      Status copied = CopyChunk(range, chunk, range.first + done);
      done += chunk.rows();
      return copied;
    });
    if (status.ok() && done != range.rows) return TornError(range);
    return status;
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

  static Error TornError(const Range& range) {
    return Error{
        fmt::format("the rows of {} are not numbered from 0 without gaps", range.table->name)};
  }

  Status CopyChunk(const Range& range, const Chunk& chunk, size_t row) const {
    for (size_t i = 0; i < range.table->columns.size(); ++i) {
      const StoredColumn& column = range.table->columns[i];
      const auto copy = [&]<typename T>(T* target) {
        return CopyColumn(column, chunk, i, target + row, LimitOf(column));
      };
      bool good = true;
      switch (column.type) {
        case StoredType::kInteger:
          good = copy(static_cast<int64_t*>(range.targets[i]));
          break;
        case StoredType::kReal:
          good = copy(static_cast<double*>(range.targets[i]));
          break;
        case StoredType::kText:
        case StoredType::kRow:
          good = copy(static_cast<uint32_t*>(range.targets[i]));
          break;
        case StoredType::kKind:
          good = copy(static_cast<uint8_t*>(range.targets[i]));
          break;
      }
      if (!good) {
        return Error{fmt::format("{}.{} has a value out of range near row {}", range.table->name,
                                 column.name, row)};
      }
    }
    return {};
  }

  // How many rows or kinds a column's values may point to.
  size_t LimitOf(const StoredColumn& column) const {
    switch (column.type) {
      case StoredType::kText:
        return strings_;
      case StoredType::kRow:
        return tables_[column.limit_table].rows;
      case StoredType::kKind:
        return column.kinds;
      default:
        return 0;
    }
  }

  Status ReadStrings() const {
    auto connection = Connection::Open(database_);
    if (!connection.ok()) return connection.error();
    auto rows = connection->Query("SELECT id, text, raw FROM main.strings");
    if (!rows.ok()) return rows.error();
    if (rows->type(0) != DUCKDB_TYPE_UINTEGER || rows->type(1) != DUCKDB_TYPE_VARCHAR ||
        rows->type(2) != DUCKDB_TYPE_BLOB) {
      return Error{"strings has columns of unexpected types"};
    }
    StringPool& pool = profile_.trace.strings;
    uint32_t next = 0;
    return rows->ForEachChunk([&](const Chunk& chunk) -> Status {
      const auto* ids = static_cast<const uint32_t*>(chunk.data(0));
      for (size_t row = 0; row < chunk.rows(); ++row, ++next) {
        auto text = TextOf(chunk, row);
        if (!text || ids[row] != next || Index(pool.Intern(*text)) != next) {
          return Error{fmt::format("strings row {} is not as it was written", next)};
        }
      }
      return {};
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
  Profile& profile_;
  std::vector<StoredTable> tables_;
  size_t strings_ = 0;
};

Status ReadNumber(const absl::flat_hash_map<std::string, std::string>& meta, const char* key,
                  bool required, int64_t& out) {
  const auto found = meta.find(key);
  if (found == meta.end() && !required) return {};
  if (found != meta.end()) {
    const char* end = found->second.data() + found->second.size();
    const auto [stop, code] = std::from_chars(found->second.data(), end, out);
    if (code == std::errc() && stop == end) return {};
  }
  return Error{fmt::format("warpsight has no valid {}", key)};
}

Status ReadTraceFields(const absl::flat_hash_map<std::string, std::string>& meta, Trace& trace) {
  Status status = ReadNumber(meta, "origin_ns", true, trace.origin_ns);
  if (status.ok()) status = ReadNumber(meta, "origin_unix_ns", false, trace.origin_unix_ns);
  if (status.ok()) status = ReadNumber(meta, "end_ns", true, trace.end);
  if (const auto name = meta.find("profile_name"); name != meta.end()) {
    trace.profile_name = name->second;
  }
  return status;
}

}  // namespace

Result<Profile> LoadProfile(const std::string& path, const LoadOptions& options) {
  // The threads are ours: each query then runs in the thread that reads its rows.
  auto opened = store::OpenProfile(path, {{"threads", "1"}});
  if (!opened.ok()) return opened.error();
  Profile profile;
  Status status = ReadTraceFields(opened->meta, profile.trace);
  if (status.ok()) status = Loader(opened->database, profile, options).Load();
  if (!status.ok()) return store::DamagedError(path, status.error());
  if (const std::string problem = CheckIntegrity(profile.trace); !problem.empty()) {
    return store::DamagedError(path, Error{problem});
  }
  IndexKernelNames(profile.facts, profile.trace.strings.size());
  return profile;
}

}  // namespace warpsight
