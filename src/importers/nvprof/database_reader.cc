#include "importers/nvprof/database_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "importers/api/bounds.h"
#include "importers/api/demangle.h"
#include "importers/api/nvtx_ranges.h"
#include "importers/api/sqlite_database.h"
#include "importers/api/sqlite_problems.h"
#include "importers/nvprof/call_names.h"
#include "importers/nvprof/rows.h"
#include "importers/nvprof/strings.h"
#include "model/hash_map.h"
#include "tbb/parallel_invoke.h"

namespace warpsight::importers::nvprof {
namespace {

using Columns = std::vector<std::string_view>;

constexpr const char* kStrings = "StringTable";
constexpr const char* kPrefix = "CUPTI_ACTIVITY_KIND_";
constexpr int64_t kMaxDeviceValue = int64_t{1} << 31;
// Times after this one, which is in 2001, are Unix times.
constexpr TimeNs kUnixTimes = 1'000'000'000'000'000'000;

// One thread's view of the database and the rows that it creates.
class Reader {
 public:
  Reader(const SqliteDatabase& database, const Strings& strings, const ImportContext& context)
      : database_(database), strings_(strings), context_(context), part_(context.source) {}

  TracePart TakePart() { return std::move(part_); }
  int64_t records() const { return records_; }
  TimeNs earliest() const { return earliest_; }

  void ReadGpuWork() {
    ReadKernels("CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL");
    ReadKernels("CUPTI_ACTIVITY_KIND_KERNEL");
    ReadCopies("CUPTI_ACTIVITY_KIND_MEMCPY");
    ReadCopies("CUPTI_ACTIVITY_KIND_MEMCPY2");
    ReadMemsets();
    ReadSyncs();
  }

  void ReadCalls() {
    ReadCalls("CUPTI_ACTIVITY_KIND_RUNTIME", ApiKind::kRuntime);
    ReadCalls("CUPTI_ACTIVITY_KIND_DRIVER", ApiKind::kDriver);
  }

  void ReadHost() {
    ReadVersion();
    ReadDevices();
    ReadNames();
    ReadMarkers();
    ReadOverheads();
  }

 private:
  // Calls visit(rows) for each row of a table, if the table exists.
  void ForEach(std::string_view table, const Columns& columns,
               const std::function<void(const SqliteRows&)>& visit) {
    if (!database_.HasTable(table)) return;
    const auto rows = database_.Select(table, columns);
    while (rows->Next()) {
      if (++records_ % 4096 == 0 && context_.MustStop()) return;
      visit(*rows);
    }
    if (!rows->error().empty()) {
      part_.Log("damaged_table", kMissing,
                fmt::format("{}: {}; the rows before it were read", table, rows->error()));
    }
  }

  StringId Text(int64_t id) { return names_.try_emplace(id, Intern(id)).first->second; }
  StringId Intern(int64_t id) {
    const auto known = names_.find(id);
    return known != names_.end() ? known->second : part_.Intern(strings_.At(id));
  }

  // Names of kernels are stored in mangled form.
  StringId KernelName(int64_t id) {
    const auto [at, is_new] = kernel_names_.try_emplace(id);
    if (is_new) at->second = part_.Intern(Demangled(strings_.At(id)));
    return at->second;
  }

  bool Usable(int64_t start, int64_t end, std::string_view what) {
    if (!UsableTimes(start, end, what, part_)) return false;
    if (earliest_ == kMissing || start < earliest_) earliest_ = start;
    return true;
  }

  void ReadKernels(std::string_view table) {
    enum {
      kStart,
      kEnd,
      kName,
      kDevice,
      kContext,
      kStream,
      kCorrelation,
      kGrid,
      kBlock = kGrid + 3,
      kRegisters = kBlock + 3,
      kStaticShared,
      kDynamicShared
    };
    ForEach(table,
            {"start", "end", "name", "deviceId", "contextId", "streamId", "correlationId", "gridX",
             "gridY", "gridZ", "blockX", "blockY", "blockZ", "registersPerThread",
             "staticSharedMemory", "dynamicSharedMemory"},
            [&](const SqliteRows& row) {
              if (!Usable(row.Integer(kStart), row.Integer(kEnd), "kernel")) return;
              TracePart::LaunchConfig launch;
              for (int i = 0; i < 3; ++i) {
                launch.grid[static_cast<size_t>(i)] = row.IntegerOr(kGrid + i, kMissing);
                launch.block[static_cast<size_t>(i)] = row.IntegerOr(kBlock + i, kMissing);
              }
              launch.registers = row.IntegerOr(kRegisters, kMissing);
              GpuRow gpu;
              gpu.start = row.Integer(kStart);
              gpu.duration = row.Integer(kEnd) - gpu.start;
              gpu.name = KernelName(row.Integer(kName));
              gpu.stream =
                  part_.Stream(row.Integer(kDevice), row.Integer(kContext), row.Integer(kStream));
              gpu.correlation = row.IntegerOr(kCorrelation, kMissing);
              gpu.launch =
                  AddLaunch(launch, row.Integer(kStaticShared), row.Integer(kDynamicShared), part_);
              Add(gpu, part_);
            });
  }

  void ReadCopies(std::string_view table) {
    enum {
      kStart,
      kEnd,
      kKind,
      kSource,
      kTarget,
      kBytes,
      kDevice,
      kContext,
      kStream,
      kCorrelation
    };
    ForEach(table,
            {"start", "end", "copyKind", "srcKind", "dstKind", "bytes", "deviceId", "contextId",
             "streamId", "correlationId"},
            [&](const SqliteRows& row) {
              if (!Usable(row.Integer(kStart), row.Integer(kEnd), "copy")) return;
              const CopyKind kind =
                  CopyKindOf(row.Integer(kKind), row.Integer(kSource), row.Integer(kTarget));
              GpuRow gpu;
              gpu.start = row.Integer(kStart);
              gpu.duration = row.Integer(kEnd) - gpu.start;
              gpu.name = part_.Intern(fmt::format("Memcpy {} ({} -> {})", kind.letters,
                                                  MemoryName(row.Integer(kSource)),
                                                  MemoryName(row.Integer(kTarget))));
              gpu.kind = GpuKind::kCopy;
              gpu.direction = kind.direction;
              gpu.host_memory = kind.host_memory;
              gpu.bytes = row.IntegerOr(kBytes, kMissing);
              gpu.stream =
                  part_.Stream(row.Integer(kDevice), row.Integer(kContext), row.Integer(kStream));
              gpu.correlation = row.IntegerOr(kCorrelation, kMissing);
              Add(gpu, part_);
            });
  }

  void ReadMemsets() {
    enum { kStart, kEnd, kBytes, kDevice, kContext, kStream, kCorrelation, kMemory };
    ForEach(
        "CUPTI_ACTIVITY_KIND_MEMSET",
        {"start", "end", "bytes", "deviceId", "contextId", "streamId", "correlationId",
         "memoryKind"},
        [&](const SqliteRows& row) {
          if (!Usable(row.Integer(kStart), row.Integer(kEnd), "memset")) return;
          GpuRow gpu;
          gpu.start = row.Integer(kStart);
          gpu.duration = row.Integer(kEnd) - gpu.start;
          gpu.name = part_.Intern(fmt::format(
              "Memset ({})", row.IsNull(kMemory) ? "Device" : MemoryName(row.Integer(kMemory))));
          gpu.kind = GpuKind::kMemset;
          gpu.bytes = row.IntegerOr(kBytes, kMissing);
          gpu.stream =
              part_.Stream(row.Integer(kDevice), row.Integer(kContext), row.Integer(kStream));
          gpu.correlation = row.IntegerOr(kCorrelation, kMissing);
          Add(gpu, part_);
        });
  }

  HashMap<int64_t, int64_t> DevicesOfContexts() {
    enum { kContext, kDevice };
    HashMap<int64_t, int64_t> devices;
    ForEach("CUPTI_ACTIVITY_KIND_CONTEXT", {"contextId", "deviceId"},
            [&](const SqliteRows& row) { devices[row.Integer(kContext)] = row.Integer(kDevice); });
    return devices;
  }

  void ReadSyncs() {
    enum { kStart, kEnd, kType, kContext, kStream, kCorrelation, kEvent };
    constexpr std::string_view kNames[] = {"Unknown Sync", "Event Sync", "Stream Wait Event",
                                           "Stream Sync", "Context Sync"};
    const HashMap<int64_t, int64_t> devices = DevicesOfContexts();
    ForEach("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
            {"start", "end", "type", "contextId", "streamId", "correlationId", "cudaEventId"},
            [&](const SqliteRows& row) {
              if (!Usable(row.Integer(kStart), row.Integer(kEnd), "synchronization")) return;
              const auto device = devices.find(row.Integer(kContext));
              const int64_t type = row.Integer(kType);
              const auto known = [&](int column) {
                const int64_t value = row.IntegerOr(column, kMissing);
                return value >= 0 && value < (int64_t{1} << 31) ? value : kMissing;
              };
              SyncsTable& t = part_.tables.syncs;
              t.start.push_back(row.Integer(kStart));
              t.duration.push_back(row.Integer(kEnd) - row.Integer(kStart));
              t.name.push_back(part_.Intern(kNames[type >= 0 && type < 5 ? type : 0]));
              t.stream.push_back(part_.Stream(device == devices.end() ? 0 : device->second,
                                              row.Integer(kContext), known(kStream)));
              t.correlation.push_back(row.IntegerOr(kCorrelation, kMissing));
              t.wait_stream.push_back(kMissing);
              t.wait_event.push_back(known(kEvent));
              t.wait_record_correlation.push_back(kMissing);
            });
  }

  void ReadCalls(std::string_view table, ApiKind kind) {
    enum { kStart, kEnd, kNumber, kProcessId, kThreadId, kCorrelation };
    HashMap<int64_t, StringId> names;
    ForEach(table, {"start", "end", "cbid", "processId", "threadId", "correlationId"},
            [&](const SqliteRows& row) {
              if (!Usable(row.Integer(kStart), row.Integer(kEnd), "call")) return;
              const auto [name, is_new] = names.try_emplace(row.Integer(kNumber));
              if (is_new) name->second = CallName(kind, row.Integer(kNumber));
              ApiRow api;
              api.start = row.Integer(kStart);
              api.duration = row.Integer(kEnd) - api.start;
              api.name = name->second;
              api.thread = ThreadOf(row.Integer(kProcessId), row.Integer(kThreadId));
              api.kind = kind;
              api.correlation = row.IntegerOr(kCorrelation, kMissing);
              Add(api, part_);
            });
  }

  StringId CallName(ApiKind kind, int64_t number) {
    const bool runtime = kind == ApiKind::kRuntime;
    const std::string_view known = runtime ? RuntimeCallName(number) : DriverCallName(number);
    if (!known.empty()) return part_.Intern(known);
    return part_.Intern(fmt::format("{} call {}", runtime ? "runtime" : "driver", number));
  }

  // Thread numbers are the lower half of pthread_self(), stored as signed numbers.
  ThreadId ThreadOf(int64_t process, int64_t thread) {
    const auto key = std::pair{process, thread & 0xffffffff};
    const auto [at, is_new] = threads_.try_emplace(key);
    if (is_new) at->second = part_.Thread(std::to_string(key.first), std::to_string(key.second));
    return at->second;
  }

  void ReadVersion() {
    enum { kVersion };
    ForEach("Version", {"version"}, [&](const SqliteRows& row) {
      AddMetadata("nvprof_database_version", std::to_string(row.Integer(kVersion)), part_);
    });
  }

  void ReadDevices() {
    enum { kId, kName, kMajor, kMinor, kSms, kMemory, kWarps, kWarpSize, kRegisters, kShared };
    ForEach("CUPTI_ACTIVITY_KIND_DEVICE",
            {"id", "name", "computeCapabilityMajor", "computeCapabilityMinor", "numMultiprocessors",
             "globalMemorySize", "maxWarpsPerMultiprocessor", "numThreadsPerWarp",
             "maxRegistersPerMultiprocessor", "maxSharedMemoryPerMultiprocessor"},
            [&](const SqliteRows& row) {
              const size_t device = Index(part_.Device(row.Integer(kId)));
              DevicesTable& t = part_.tables.devices;
              t.name[device] = Text(row.Integer(kName));
              const auto number = [&](int column, int64_t most = kMaxDeviceValue) {
                return Within(0, row.IntegerOr(column, kMissing), most, part_);
              };
              t.compute_major[device] = number(kMajor);
              t.compute_minor[device] = number(kMinor);
              t.sms[device] = number(kSms);
              t.memory_bytes[device] = number(kMemory, kLargestCount);
              t.warp_size[device] = number(kWarpSize);
              t.regs_per_sm[device] = number(kRegisters);
              t.shared_per_sm[device] = number(kShared);
              const int64_t warps = number(kWarps);
              if (warps != kMissing && t.warp_size[device] != kMissing) {
                t.threads_per_sm[device] = warps * t.warp_size[device];
              }
            });
  }

  // The object of an activity: its process and thread as two numbers of four bytes.
  struct Object {
    int64_t process = 0;
    int64_t thread = 0;
  };
  static Object ObjectOf(std::string_view blob) {
    uint32_t numbers[2] = {};
    blob.copy(reinterpret_cast<char*>(numbers), sizeof numbers);
    return {numbers[0], numbers[1]};
  }

  void ReadNames() {
    enum { kObjectKind, kObject, kName };
    ForEach("CUPTI_ACTIVITY_KIND_NAME", {"objectKind", "objectId", "name"},
            [&](const SqliteRows& row) {
              const Object object = ObjectOf(row.Blob(kObject));
              if (row.Integer(kObjectKind) == kProcess) {
                const ProcessId process = part_.Process(std::to_string(object.process));
                part_.tables.processes.name[Index(process)] = Text(row.Integer(kName));
              } else if (row.Integer(kObjectKind) == kThread) {
                const ThreadId thread = ThreadOf(object.process, object.thread);
                part_.tables.threads.name[Index(thread)] = Text(row.Integer(kName));
              }
            });
  }

  // A range is stored as two halves with the same number; the second half has no name.
  void ReadMarkers() {
    enum { kFlags, kTime, kId, kObjectKind, kObject, kName };
    struct Open {
      TimeNs start;
      int64_t name;
      ThreadId thread;
    };
    HashMap<int64_t, Open> open;
    std::vector<NvtxRange> ranges;
    ForEach(
        "CUPTI_ACTIVITY_KIND_MARKER",
        {"flags", "timestamp", "id", "objectKind", "objectId", "name"}, [&](const SqliteRows& row) {
          const int64_t flags = row.Integer(kFlags);
          const Object object = ObjectOf(row.Blob(kObject));
          const ThreadId thread =
              ThreadOf(object.process, row.Integer(kObjectKind) == kThread ? object.thread : 0);
          if ((flags & kRangeStart) != 0) {
            open[row.Integer(kId)] = {row.Integer(kTime), row.Integer(kName), thread};
          } else if ((flags & kRangeEnd) != 0) {
            const auto at = open.find(row.Integer(kId));
            if (at == open.end()) {
              part_.Log("marker_without_start", kMissing, "the end of a range without its start");
              return;
            }
            if (Usable(at->second.start, row.Integer(kTime), "range")) {
              ranges.push_back({at->second.start, row.Integer(kTime), at->second.thread,
                                strings_.At(at->second.name)});
            }
            open.erase(at);
          } else if ((flags & kInstant) != 0 &&
                     Usable(row.Integer(kTime), row.Integer(kTime), "mark")) {
            InstantsTable& t = part_.tables.instants;
            t.time.push_back(row.Integer(kTime));
            t.name.push_back(Text(row.Integer(kName)));
            t.category.push_back(part_.Intern("marker"));
            t.thread.push_back(thread);
            t.args.push_back(StringId::kEmpty);
          }
        });
    AddRanges(std::move(ranges));
    for (size_t i = 0; i < open.size(); ++i) {
      part_.Log("marker_without_end", kMissing, "a range that was still open at the end");
    }
  }

  void AddRanges(std::vector<NvtxRange> ranges) {
    std::stable_sort(ranges.begin(), ranges.end(), [](const NvtxRange& a, const NvtxRange& b) {
      return a.start != b.start ? a.start < b.start : a.end > b.end;
    });
    NvtxRanges rows(part_);
    for (const NvtxRange& range : ranges) rows.Add(range);
  }

  void ReadOverheads() {
    enum { kStart, kEnd, kKind, kObjectKind, kObject };
    ForEach(
        "CUPTI_ACTIVITY_KIND_OVERHEAD", {"start", "end", "overheadKind", "objectKind", "objectId"},
        [&](const SqliteRows& row) {
          if (!Usable(row.Integer(kStart), row.Integer(kEnd), "profiler overhead")) return;
          const Object object = ObjectOf(row.Blob(kObject));
          const ThreadId thread =
              ThreadOf(object.process, row.Integer(kObjectKind) == kThread ? object.thread : 0);
          Add(HostRow{row.Integer(kStart), row.Integer(kEnd) - row.Integer(kStart),
                      part_.Intern(OverheadName(row.Integer(kKind))), thread, HostKind::kOverhead},
              part_);
        });
  }

  static std::string_view OverheadName(int64_t kind) {
    switch (kind) {
      case 1:
        return "Driver compiler";
      case 1 << 16:
        return "Activity buffer flush";
      case 2 << 16:
        return "Instrumentation";
      case 3 << 16:
        return "Resource";
      default:
        return "Overhead";
    }
  }

  static constexpr int64_t kProcess = 1;
  static constexpr int64_t kThread = 2;
  static constexpr int64_t kInstant = 1;
  static constexpr int64_t kRangeStart = 2;
  static constexpr int64_t kRangeEnd = 4;

  const SqliteDatabase& database_;
  const Strings& strings_;
  const ImportContext& context_;
  TracePart part_;
  int64_t records_ = 0;
  TimeNs earliest_ = kMissing;
  HashMap<int64_t, StringId> names_, kernel_names_;
  HashMap<std::pair<int64_t, int64_t>, ThreadId> threads_;
};

}  // namespace

Status RecognizeDatabase(WholeFile& file) {
  auto bytes = file.Bytes();
  if (!bytes.ok()) return bytes.error();
  auto database = SqliteDatabase::Open(*bytes);
  if (!database.ok()) return database.error();
  if (database->HasTable(kStrings)) {
    for (const auto& [table, columns] : database->tables()) {
      if (table.starts_with(kPrefix)) return {};
    }
  }
  return Error{database->Refusal()};
}

Status ReadDatabase(ImportContext& context) {
  auto bytes = context.whole.Bytes();
  if (!bytes.ok()) return bytes.error();
  std::vector<SqliteDatabase> databases;
  for (int i = 0; i < 3; ++i) {
    auto database = SqliteDatabase::Open(*bytes);
    if (!database.ok()) return Error{fmt::format("{}: {}", context.path, database.error().message)};
    databases.push_back(std::move(*database));
  }
  const Strings strings(databases[0]);
  std::vector<Reader> readers;
  readers.reserve(databases.size());
  for (const SqliteDatabase& database : databases) {
    readers.emplace_back(database, strings, context);
  }
  tbb::parallel_invoke([&] { readers[0].ReadHost(); }, [&] { readers[1].ReadCalls(); },
                       [&] { readers[2].ReadGpuWork(); });
  if (Status status = context.CheckStopped(); !status.ok()) return status;
  TracePart problems(context.source);
  LogSqliteProblems(context, *bytes, problems);
  context.builder.Add(std::move(problems));
  int64_t records = 0;
  TimeNs earliest = kMissing;
  for (Reader& reader : readers) {
    records += reader.records();
    if (earliest == kMissing || (reader.earliest() != kMissing && reader.earliest() < earliest)) {
      earliest = reader.earliest();
    }
    context.builder.Add(reader.TakePart());
  }
  context.builder.AddEvents(context.source, records);
  if (earliest != kMissing && earliest > kUnixTimes) context.builder.SetUnixBase(context.source, 0);
  return {};
}

}  // namespace warpsight::importers::nvprof
