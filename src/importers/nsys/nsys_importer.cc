// Reads SQLite exports of Nsight Systems. Versions have different tables and columns, so each is
// read if it exists. Large tables are cut into ranges of rows, which are read in parallel by
// threads that each have a database object on the same bytes.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "importers/api/importer.h"
#include "importers/api/sqlite_database.h"
#include "importers/api/sqlite_problems.h"
#include "importers/nsys/file_facts.h"
#include "importers/nsys/gpu_tables.h"
#include "importers/nsys/host_tables.h"
#include "importers/nsys/nvtx_table.h"
#include "importers/nsys/report_file.h"
#include "tbb/enumerable_thread_specific.h"
#include "tbb/parallel_for.h"

namespace warpsight::importers::nsys {

Importer Define();

namespace {

constexpr int64_t kRowsPerTask = 1 << 16;
constexpr std::string_view kReportEnding = ".nsys-rep";
constexpr std::string_view kOldReportEnding = ".qdrep";

using ReadRows = void (*)(const SqliteDatabase& database, std::string_view rows, TablePart& part);

struct KnownTable {
  std::string_view name;
  ReadRows read;
  bool gpu_work;
};

constexpr KnownTable kTables[] = {
    {"CUPTI_ACTIVITY_KIND_KERNEL", ReadKernels, true},
    {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", ReadGraphs, true},
    {"CUPTI_ACTIVITY_KIND_MEMCPY", ReadCopies, true},
    {"CUPTI_ACTIVITY_KIND_MEMSET", ReadMemsets, true},
    {"CUPTI_ACTIVITY_KIND_RUNTIME", ReadApiCalls, false},
    {"OSRT_API", ReadSystemCalls, false},
    {"PROFILER_OVERHEAD", ReadOverhead, false},
};
constexpr std::string_view kSyncTable = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";
constexpr std::string_view kNvtxTable = "NVTX_EVENTS";

bool Sniff(std::string_view head) { return IsSqlite(head) || IsReport(head); }

// Every export has the table StringIds; nvprof's databases have StringTable instead.
bool IsExport(const SqliteDatabase& database) {
  if (!database.HasTable("StringIds") || database.HasTable("StringTable")) return false;
  for (const std::string_view table :
       {"TARGET_INFO_SYSTEM_ENV", "META_DATA_EXPORT", "EXPORT_META_DATA", "ProcessStreams",
        "ThreadNames", "NVTX_EVENTS", "CUPTI_ACTIVITY_KIND_KERNEL",
        "CUPTI_ACTIVITY_KIND_RUNTIME"}) {
    if (database.HasTable(table)) return true;
  }
  return false;
}

Status Recognize(WholeFile& file) {
  auto bytes = file.Bytes();
  if (!bytes.ok()) return bytes.error();
  if (IsReport({bytes->data(), bytes->size()})) return {};
  const auto database = SqliteDatabase::Open(*bytes);
  if (!database.ok()) return database.error();
  if (IsExport(*database)) return {};
  return Error{database->Refusal()};
}

// WHERE clauses for ranges of rowids that cover a table.
std::vector<std::string> CutIntoRanges(const SqliteDatabase& database, std::string_view table,
                                       size_t file_size) {
  const int64_t last = database.LastRow(table);
  // If there are more rows than bytes in the file, it is damaged, or the rowids are not dense.
  if (last <= kRowsPerTask || last > static_cast<int64_t>(file_size)) return {""};
  std::vector<std::string> ranges;
  for (int64_t first = 0; first <= last; first += kRowsPerTask) {
    const bool ends = first + kRowsPerTask > last;
    ranges.push_back(
        ends ? fmt::format("WHERE rowid >= {}", first)
             : fmt::format("WHERE rowid >= {} AND rowid < {}", first, first + kRowsPerTask));
  }
  return ranges;
}

class Import {
 public:
  Import(ImportContext& context, std::span<char> bytes, const SqliteDatabase& database)
      : context_(context), bytes_(bytes), database_(database) {}

  Status Run() {
    LogFileProblems();
    ReadStrings();
    facts_.devices.Read(database_);
    facts_.domain_kinds = ReadDomainKinds(database_);
    PlanTables();
    RunTasks();
    if (Status status = context_.CheckStopped(); !status.ok()) return status;
    AddNvtx();
    AddSyncs();
    Finish();
    return {};
  }

 private:
  struct Task {
    const KnownTable* table;  // null: NVTX_EVENTS
    std::string rows;
    std::unique_ptr<TablePart> part;
    NvtxRows nvtx;
  };

  std::unique_ptr<TablePart> NewPart(std::string_view table) {
    return std::make_unique<TablePart>(context_.source, facts_, table);
  }

  // The database object of the calling thread.
  const SqliteDatabase& Database() {
    auto& mine = databases_.local();
    if (!mine) {
      auto opened = SqliteDatabase::Open(bytes_);
      if (!opened.ok()) return database_;
      mine = std::make_unique<SqliteDatabase>(std::move(*opened));
    }
    return *mine;
  }

  void LogFileProblems() {
    log_ = NewPart("the file");
    LogSqliteProblems(context_, bytes_, log_->part());
  }

  void ReadStrings() {
    const std::vector<std::string> ranges = CutIntoRanges(database_, "StringIds", bytes_.size());
    std::vector<SharedStrings::Block> blocks(ranges.size());
    tbb::parallel_for(
        size_t{0}, ranges.size(),
        [&](size_t i) { blocks[i] = SharedStrings::Read(Database(), ranges[i]); },
        tbb::simple_partitioner());
    for (SharedStrings::Block& block : blocks) {
      if (!block.error.empty()) {
        log_->part().Log("damaged_table", kMissing,
                         fmt::format("StringIds: reading stopped: {}", block.error));
      }
      facts_.strings.Add(std::move(block));
    }
  }

  void Plan(const KnownTable* table, std::string_view name) {
    if (!database_.HasTable(name)) return;
    for (std::string& rows : CutIntoRanges(database_, name, bytes_.size())) {
      tasks_.push_back({table, std::move(rows), NewPart(name), {}});
    }
  }

  void PlanTables() {
    Plan(nullptr, kNvtxTable);
    for (const KnownTable& table : kTables) Plan(&table, table.name);
  }

  void RunTasks() {
    const int64_t share =
        context_.bytes.file_size() / std::max<int64_t>(1, static_cast<int64_t>(tasks_.size()));
    tbb::parallel_for(
        size_t{0}, tasks_.size(),
        [&](size_t i) {
          if (context_.MustStop()) return;
          Task& task = tasks_[i];
          if (task.table != nullptr) {
            task.table->read(Database(), task.rows, *task.part);
          } else {
            task.nvtx = ReadNvtx(Database(), task.rows, *task.part);
          }
          context_.progress.Add(share);
        },
        tbb::simple_partitioner());
  }

  void AddNvtx() {
    std::vector<Task*> nvtx;
    NvtxContext common;
    bool together = false;
    for (Task& task : tasks_) {
      if (task.table != nullptr) continue;
      nvtx.push_back(&task);
      common.domains.Add(task.nvtx.domains);
      common.latest = std::max(common.latest, task.nvtx.latest);
      together = together || task.nvtx.nesting_matters;
    }
    if (together) {
      std::vector<NvtxRows*> blocks;
      blocks.reserve(nvtx.size());
      for (Task* task : nvtx) blocks.push_back(&task->nvtx);
      AddNvtxRows(blocks, common, *nvtx.front()->part);
      return;
    }
    tbb::parallel_for(
        size_t{0}, nvtx.size(),
        [&](size_t i) { AddNvtxRows({&nvtx[i]->nvtx}, common, *nvtx[i]->part); },
        tbb::simple_partitioner());
  }

  void AddSyncs() {
    if (!database_.HasTable(kSyncTable)) return;
    ContextDevices devices;
    for (const Task& task : tasks_) CollectContextDevices(task.part->part(), devices);
    Task& task = tasks_.emplace_back(Task{nullptr, "", NewPart(kSyncTable), {}});
    ReadSyncs(database_, devices, *task.part);
  }

  void Finish() {
    std::vector<const TracePart*> parts;
    int64_t rows = 0;
    bool gpu_work = false;
    for (const Task& task : tasks_) {
      parts.push_back(&task.part->part());
      rows += task.part->rows();
      gpu_work = gpu_work || !task.part->tables().gpu.start.empty();
    }
    if (!gpu_work) LogNoGpuWork();
    AddFileFacts(database_, parts, *log_, context_.builder);
    context_.builder.AddEvents(context_.source, rows);
    for (Task& task : tasks_) context_.builder.Add(std::move(task.part->part()));
    context_.builder.Add(std::move(log_->part()));
  }

  void LogNoGpuWork() {
    bool table = false;
    for (const KnownTable& known : kTables) {
      table = table || (known.gpu_work && database_.HasTable(known.name));
    }
    log_->part().Log("no_gpu_work", kMissing,
                     fmt::format("no GPU work was recorded: the export has {} (record with nsys "
                                 "profile --trace=cuda,nvtx)",
                                 table ? "tables of kernels and copies, but these are empty"
                                       : "no table of kernels, copies or memsets"));
  }

  ImportContext& context_;
  std::span<char> bytes_;
  const SqliteDatabase& database_;
  ExportFacts facts_;
  std::unique_ptr<TablePart> log_;
  std::vector<Task> tasks_;
  tbb::enumerable_thread_specific<std::unique_ptr<SqliteDatabase>> databases_;
};

Status ImportDatabase(ImportContext& context) {
  auto bytes = context.whole.Bytes();
  if (!bytes.ok()) return bytes.error();
  const auto database = SqliteDatabase::Open(*bytes);
  if (!database.ok()) {
    return Error{fmt::format("{}: {}", context.path, database.error().message)};
  }
  return Import(context, *bytes, *database).Run();
}

Status ImportReport(ImportContext& context) {
  const auto exported = ExportedReport::Make(context.path, context.progress);
  if (!exported.ok()) return exported.error();
  auto source = OpenBytes(exported->path(), &context.progress);
  if (!source.ok()) return source.error();
  WholeFile whole(exported->path(), **source, context.memory);
  ImportContext of_export{context.path,   **source,         whole,         context.builder,
                          context.source, context.progress, context.memory};
  return ImportDatabase(of_export);
}

Status ImportNsys(ImportContext& context) {
  auto bytes = context.whole.Bytes();
  if (!bytes.ok()) return bytes.error();
  const bool named_report =
      context.path.ends_with(kReportEnding) || context.path.ends_with(kOldReportEnding);
  const bool report = named_report || IsReport({bytes->data(), bytes->size()});
  return report ? ImportReport(context) : ImportDatabase(context);
}

}  // namespace

Importer Define() {
  return {"nsys",
          "Nsight Systems SQLite exports",
          20,
          Sniff,
          ImportNsys,
          Recognize,
          {kReportEnding, kOldReportEnding, ".sqlite", ".sqlite3", ".db"}};
}

}  // namespace warpsight::importers::nsys
