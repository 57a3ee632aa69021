#include "store/parquet.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/unfinished_folder.h"
#include "store/database.h"
#include "store/interrupter.h"
#include "store/profile_file.h"
#include "store/stored_tables.h"
#include "store/text.h"
#include "store/views.h"

namespace warpsight {
namespace {

namespace fs = std::filesystem;
using store::StoredColumn;
using store::StoredTable;
using store::StoredType;

std::string Quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  return quoted + "'";
}

// Every file's metadata has this key, with the name of its table as the value.
constexpr std::string_view kMarkKey = "warpsight_table";

// The end of a Parquet file is encoded in Thrift's compact protocol. In a metadata entry, this byte
// precedes the key and the value, each followed by its length.
constexpr char kTextField = '\x18';

// A table or view to write.
struct Dataset {
  std::string name;
  std::string select;         // its columns and their SQL, from the table as t
  std::string ids_of_source;  // SQL for the row numbers of source {}; empty: no source has rows
};

bool Has(const StoredTable& table, std::string_view column) {
  return std::any_of(table.columns.begin(), table.columns.end(),
                     [&](const StoredColumn& c) { return c.name == column; });
}

// SQL for the numbers of a table's rows that belong to source {}.
std::string RowsOfSource(std::string_view table, const StoredTable* columns) {
  const auto has = [&](std::string_view column) {
    return columns != nullptr && Has(*columns, column);
  };
  std::string path;
  if (table == "sources") return "SELECT CAST({} AS BIGINT)";
  if (has("source_id")) {
    return fmt::format("SELECT x.rowid FROM {} x WHERE x.source_id = {{}}", table);
  }
  if (has("thread_id")) {
    path = "threads y ON y.rowid = x.thread_id JOIN processes p ON p.rowid = y.process_id WHERE p";
  } else if (has("stream_id")) {
    path = "streams y ON y.rowid = x.stream_id JOIN devices d ON d.rowid = y.device_id WHERE d";
  } else if (has("iteration_id")) {  // the ledger's rows of a process have no device
    path = "iterations i ON i.rowid = x.iteration_id WHERE i";
  } else if (has("device_id")) {  // streams may lack a process, but they have a device
    path = "devices d ON d.rowid = x.device_id WHERE d";
  } else if (has("process_id")) {
    path = "processes p ON p.rowid = x.process_id WHERE p";
  } else {
    return {};
  }
  return fmt::format("SELECT x.rowid FROM {} x JOIN {}.source_id = {{}}", table, path);
}

// In the profile file, names of text columns end in _id, since they contain numbers of strings.
std::string WithoutId(const std::string& name) {
  return name.ends_with("_id") ? name.substr(0, name.size() - 3) : name;
}

// A column with the name of a partition key would hide it or be rejected: pandas compares their
// types.
std::string NumberColumn(const std::string& name) {
  return name == "rank" ? "t.rank AS recorded_rank" : fmt::format("t.\"{}\"", name);
}

Dataset TableDataset(const StoredTable& table) {
  std::vector<std::string> columns{"t.rowid AS id"};
  std::string joins;
  for (const StoredColumn& column : table.columns) {
    if (column.type != StoredType::kText) {
      columns.push_back(NumberColumn(column.name));
      continue;
    }
    const std::string alias = fmt::format("text{}", columns.size());
    columns.push_back(fmt::format("{}.text AS \"{}\"", alias, WithoutId(column.name)));
    joins += fmt::format(" LEFT JOIN strings {0} ON {0}.id = t.\"{1}\"", alias, column.name);
  }
  return {std::string(table.name),
          fmt::format("{} FROM {} t{}", fmt::join(columns, ", "), table.name, joins),
          RowsOfSource(table.name, &table)};
}

// The views for people with rows that correspond to rows of a table.
constexpr std::pair<std::string_view, std::string_view> kViews[] = {
    {"kernels", "gpu_activities"}, {"copies", "gpu_activities"},   {"memsets", "gpu_activities"},
    {"ops", "host_ranges"},        {"annotations", "host_ranges"}, {"api", "api_calls"}};

std::vector<Dataset> Datasets(const std::vector<StoredTable>& tables) {
  std::vector<Dataset> all;
  for (const StoredTable& table : tables) {
    if (table.rows > 0) all.push_back(TableDataset(table));
  }
  for (const auto& [view, base] : kViews) {
    const auto table = std::find_if(tables.begin(), tables.end(),
                                    [b = base](const StoredTable& t) { return t.name == b; });
    if (table == tables.end() || table->rows == 0) continue;
    all.push_back(
        {std::string(view), fmt::format("t.* FROM {} t", view), RowsOfSource(base, &*table)});
  }
  return all;
}

struct Partition {
  size_t source;
  int64_t rank;
  std::string file;
};

// Sources without a rank are numbered. Sources with only hardware counters belong to the first one.
std::vector<Partition> Partitions(const Trace& trace, const std::string& name) {
  const SourcesTable& sources = trace.tables.sources;
  const std::vector<bool> timeline = SourcesWithTimeline(trace);
  std::vector<Partition> all;
  for (size_t i = 0; i < sources.rank.size(); ++i) {
    const int64_t number = timeline[i] ? static_cast<int64_t>(i) : 0;
    const int64_t rank = sources.rank[i] == kMissing ? number : sources.rank[i];
    const bool taken = std::any_of(all.begin(), all.end(),
                                   [&](const Partition& other) { return other.rank == rank; });
    all.push_back({i, rank, taken ? fmt::format("{}_{}", name, i) : name});
  }
  if (all.empty()) all.push_back({0, 0, name});
  return all;
}

class Writer {
 public:
  Writer(store::Connection& connection, std::string folder, std::string run)
      : connection_(connection), folder_(std::move(folder)), run_(std::move(run)) {}

  Status Write(const Dataset& dataset, const Partition& partition, bool only, bool first) {
    if (dataset.ids_of_source.empty() && !first) return {};
    const fs::path place = fs::path(dataset.name) / fmt::format("rank={}", partition.rank);
    if (const std::error_code error = CreateFoldersIn(folder_, place)) {
      return Error{error.message()};
    }
    const std::string file = (fs::path(folder_) / place / (partition.file + ".parquet")).string();
    return connection_.Run(
        fmt::format("COPY (SELECT {} AS run, {}{}) TO {} (FORMAT parquet, COMPRESSION zstd, "
                    "KV_METADATA {{{}: {}}})",
                    Quoted(run_), dataset.select, only ? "" : Filter(dataset, partition),
                    Quoted(file), kMarkKey, Quoted(dataset.name)));
  }

 private:
  static std::string Filter(const Dataset& dataset, const Partition& partition) {
    if (dataset.ids_of_source.empty()) return {};
    const bool view = dataset.select.starts_with("t.*");
    return fmt::format(" WHERE {} IN ({})", view ? "t.id" : "t.rowid",
                       fmt::format(fmt::runtime(dataset.ids_of_source), partition.source));
  }

  store::Connection& connection_;
  const std::string folder_;
  const std::string run_;
};

Status WriteFrom(const std::string& database_path, const Profile& profile,
                 const std::string& folder, const std::string& name, Progress& progress) {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  auto database = store::Database::Open(
      database_path,
      {{"access_mode", "READ_ONLY"}, {"threads", std::to_string(cores)}, {"memory_limit", "1GB"}});
  if (!database.ok()) return database.error();
  auto connection = store::Connection::Open(*database);
  if (!connection.ok()) return connection.error();
  const std::vector<Dataset> datasets = Datasets(store::ListTables(profile));
  const std::vector<Partition> partitions = Partitions(profile.trace, name);
  progress.Begin("writing", static_cast<int64_t>(datasets.size() * partitions.size()));
  Writer writer(*connection, folder, profile.trace.profile_name);
  const store::Interrupter interrupter(*connection, [&] { return progress.cancelled(); });
  for (const Dataset& dataset : datasets) {
    for (const Partition& partition : partitions) {
      if (progress.cancelled()) return Error{"interrupted"};
      Status status =
          writer.Write(dataset, partition, partitions.size() == 1, &partition == partitions.data());
      if (!status.ok()) return status;
      progress.Add(1);
    }
  }
  return {};
}

}  // namespace

Status WriteParquet(const Profile& profile, const std::string& folder, const std::string& name,
                    Progress& progress) {
  const fs::path database = fs::path(folder) / ".profile";
  Status status = SaveProfile(profile, database.string(), progress);
  if (status.ok()) status = WriteFrom(database.string(), profile, folder, name, progress);
  std::error_code ignored;
  fs::remove(database, ignored);
  fs::remove_all(database.string() + ".tmp", ignored);
  if (status.ok()) return status;
  return Error{store::ReasonOf(status.error().message, folder)};
}

bool IsOurParquet(const std::string& path) {
  constexpr std::string_view kMagic = "PAR1";
  constexpr std::streamoff kEndBytes = 8;  // the length of the footer, and the magic
  constexpr uint32_t kLongestFooter = 64 * 1024 * 1024;
  std::ifstream file(path, std::ios::binary);
  char end[kEndBytes] = {};
  if (!file.seekg(-kEndBytes, std::ios::end).read(end, kEndBytes)) return false;
  uint32_t length = 0;
  std::memcpy(&length, end, sizeof length);
  if (std::string_view(end + sizeof length, kMagic.size()) != kMagic) return false;
  if (length > kLongestFooter) return false;
  std::string footer(length, '\0');
  const std::streamoff back = kEndBytes + static_cast<std::streamoff>(length);
  if (!file.seekg(-back, std::ios::end).read(footer.data(), length)) return false;
  std::string entry{kTextField, static_cast<char>(kMarkKey.size())};
  entry.append(kMarkKey).push_back(kTextField);
  return footer.find(entry) != std::string::npos;
}

}  // namespace warpsight
