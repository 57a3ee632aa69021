#include "exporters/nsys_sqlite/nsys_tables.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "exporters/nsys_sqlite/enum_tables.h"
#include "exporters/nsys_sqlite/global_ids.h"

namespace warpsight::exporters::nsys_sqlite {
namespace {

constexpr std::string_view kGpuColumns =
    "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, "
    "contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, "
    "correlationId INTEGER, globalPid INTEGER, ";

constexpr std::string_view kKernelColumns =
    "demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER, "
    "launchType INTEGER, cacheConfig INTEGER, registersPerThread INTEGER NOT NULL, "
    "gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, "
    "blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, "
    "staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT NULL, "
    "localMemoryPerThread INTEGER NOT NULL, localMemoryTotal INTEGER NOT NULL, "
    "gridId INTEGER NOT NULL, sharedMemoryExecuted INTEGER, graphNodeId INTEGER, "
    "sharedMemoryLimitConfig INTEGER, graphId INTEGER";

constexpr std::string_view kCopyColumns =
    "bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, deprecatedSrcId INTEGER, "
    "srcKind INTEGER, dstKind INTEGER, srcDeviceId INTEGER, srcContextId INTEGER, "
    "dstDeviceId INTEGER, dstContextId INTEGER, migrationCause INTEGER, graphNodeId INTEGER, "
    "virtualAddress INTEGER, copyCount INTEGER";

constexpr std::string_view kMemsetColumns =
    "value INTEGER NOT NULL, bytes INTEGER NOT NULL, graphNodeId INTEGER, memKind INTEGER";

constexpr std::string_view kSyncColumns =
    "deprecatedSyncType INTEGER, syncType INTEGER NOT NULL, eventId INTEGER NOT NULL, "
    "eventSyncId INTEGER";

constexpr std::string_view kSystemCallColumns =
    "start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, "
    "globalTid INTEGER, correlationId INTEGER, "
    "nameId INTEGER NOT NULL REFERENCES StringIds(id), returnValue INTEGER NOT NULL, "
    "nestingLevel INTEGER, callchainId INTEGER NOT NULL";

constexpr std::string_view kNvtxColumns =
    "start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER, "
    "category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, "
    "textId INTEGER REFERENCES StringIds(id), domainId INTEGER, uint64Value INTEGER, "
    "int64Value INTEGER, doubleValue REAL, uint32Value INTEGER, int32Value INTEGER, "
    "floatValue REAL, jsonTextId INTEGER, jsonText TEXT, binaryData TEXT";

// Nsight Systems' number for the class of system calls, and its numbers for NVTX events.
constexpr int64_t kOsrtClass = 27;
constexpr int64_t kNvtxMark = 34;
constexpr int64_t kNvtxPushPopRange = 59;
constexpr int64_t kNvtxStartEndRange = 60;
constexpr int64_t kNvtxDomainCreate = 75;

// The lane of start/end ranges, which need not nest, in traces that were imported from Nsight
// Systems.
constexpr std::string_view kStartEndLane = "NVTX start/end";

// Nsight Systems' number for a missing stream.
constexpr int64_t kNoStream = 0xFFFFFFFF;

// Host ranges become NVTX ranges, with a domain for each kind; annotations are in the default
// domain. Nsight Systems has a separate table for system calls.
struct Domain {
  HostKind kind;
  int64_t id;
  std::string_view name;
};
constexpr Domain kDomains[] = {
    {HostKind::kOp, 1, "op"},         {HostKind::kPythonFunction, 2, "python_function"},
    {HostKind::kModule, 3, "module"}, {HostKind::kOverhead, 4, "overhead"},
    {HostKind::kSpan, 5, "span"},     {HostKind::kOther, 6, "other"},
};

int64_t DomainOf(HostKind kind) {
  for (const Domain& domain : kDomains) {
    if (domain.kind == kind) return domain.id;
  }
  return 0;
}

int64_t CopyKindOf(CopyDirection direction) {
  switch (direction) {
    case CopyDirection::kHostToDevice:
      return 1;
    case CopyDirection::kDeviceToHost:
      return 2;
    case CopyDirection::kDeviceToDevice:
      return 8;
    case CopyDirection::kHostToHost:
      return 9;
    case CopyDirection::kPeerToPeer:
      return 10;
    case CopyDirection::kNotACopy:
    case CopyDirection::kUnknown:
      break;
  }
  return 0;
}

struct MemoryKinds {
  int64_t source, target;
};
constexpr int64_t kDeviceMemory = 2;
constexpr int64_t kUnknownMemory = 7;

MemoryKinds MemoryKindsOf(CopyDirection direction, HostMemory memory) {
  int64_t host = kUnknownMemory;
  if (memory == HostMemory::kPageable) host = 0;
  if (memory == HostMemory::kPinned) host = 1;
  switch (direction) {
    case CopyDirection::kHostToDevice:
      return {host, kDeviceMemory};
    case CopyDirection::kDeviceToHost:
      return {kDeviceMemory, host};
    case CopyDirection::kHostToHost:
      return {host, host};
    case CopyDirection::kDeviceToDevice:
    case CopyDirection::kPeerToPeer:
      return {kDeviceMemory, kDeviceMemory};
    case CopyDirection::kNotACopy:
    case CopyDirection::kUnknown:
      break;
  }
  return {kUnknownMemory, kUnknownMemory};
}

// Converts Kineto's names to CUpti_ActivitySynchronizationType.
int64_t SyncTypeOf(std::string_view name) {
  if (Contains(name, "Event")) return Contains(name, "Wait") ? 2 : 1;
  if (Contains(name, "Stream")) return Contains(name, "Wait") ? 2 : 3;
  if (Contains(name, "Context") || Contains(name, "Device")) return 4;
  return 0;
}

class TableWriter {
 public:
  TableWriter(const Profile& profile, SqliteWriter& writer, Progress& progress)
      : profile_(profile),
        trace_(profile.trace),
        ids_(profile.trace),
        writer_(writer),
        progress_(progress),
        used_(profile.trace.strings.size()),
        runs_(RowCount(profile.trace.tables.processes)) {
    for (const auto* threads : {&trace_.tables.host.thread, &trace_.tables.api.thread}) {
      for (const ThreadId thread : *threads) {
        runs_[Index(trace_.tables.threads.process[Index(thread)])] = true;
      }
    }
  }

  void Write() {
    WriteGpu();
    WriteSyncs();
    WriteApi();
    WriteHost();
    WriteThreads();
    WriteProcesses();
    WriteDevices();
    WriteStreams();
    WriteStrings();
    WriteSession();
    WriteEnums(writer_);
  }

 private:
  // Called for each row; false if writing must stop.
  bool Continue(size_t row) {
    constexpr size_t kStep = 4096;
    if (row % kStep != 0) return true;
    progress_.Add(row == 0 ? 0 : static_cast<int64_t>(kStep));
    return writer_.ok() && !progress_.cancelled();
  }

  int64_t String(StringId id) {
    used_[Index(id)] = true;
    return static_cast<int64_t>(Index(id));
  }

  // Writes the columns with which all tables of GPU work begin.
  RowWriter& Begin(RowWriter& rows, TimeNs start, DurationNs duration, StreamId stream,
                   int64_t correlation) {
    const StreamsTable& streams = trace_.tables.streams;
    const size_t row = Index(stream);
    return rows.Add(start)
        .Add(start + duration)
        .Add(trace_.tables.devices.ordinal[Index(streams.device[row])])
        .AddOr(streams.context[row], 0)
        .AddNull()
        .AddOr(streams.stream[row], kNoStream)
        .Add(correlation)
        .Add(ids_.GpuProcess(stream));
  }

  void WriteGpu() {
    RowWriter kernels(writer_, "CUPTI_ACTIVITY_KIND_KERNEL",
                      fmt::format("{}{}", kGpuColumns, kKernelColumns));
    RowWriter copies(writer_, "CUPTI_ACTIVITY_KIND_MEMCPY",
                     fmt::format("{}{}", kGpuColumns, kCopyColumns));
    RowWriter memsets(writer_, "CUPTI_ACTIVITY_KIND_MEMSET",
                      fmt::format("{}{}", kGpuColumns, kMemsetColumns));
    const GpuActivitiesTable& t = trace_.tables.gpu;
    for (size_t i = 0; i < t.start.size() && Continue(i); ++i) {
      RowWriter& rows = t.kind[i] == GpuKind::kKernel ? kernels
                        : t.kind[i] == GpuKind::kCopy ? copies
                                                      : memsets;
      Begin(rows, t.start[i], t.duration[i], t.stream[i], t.correlation[i]);
      if (t.kind[i] == GpuKind::kKernel) Kernel(i, rows);
      if (t.kind[i] == GpuKind::kCopy) Copy(i, rows);
      if (t.kind[i] == GpuKind::kMemset) {
        rows.Add(int64_t{0}).AddOr(t.bytes[i], 0).Add(GraphNode(i)).Add(kDeviceMemory);
      }
      rows.EndRow();
    }
  }

  int64_t GraphNode(size_t row) const {
    const GpuExtraId extra = trace_.tables.gpu.extra[row];
    return IsSet(extra) ? trace_.tables.gpu_extras.graph_node[Index(extra)] : kMissing;
  }

  StringId ShortName(StringId name) const {
    const FactTables& facts = profile_.facts;
    if (Index(name) >= facts.kernel_row.size()) return name;
    const size_t row = facts.KernelRow(name);
    return row < facts.kernel_names.short_name.size() ? facts.kernel_names.short_name[row] : name;
  }

  void Kernel(size_t row, RowWriter& rows) {
    const GpuActivitiesTable& t = trace_.tables.gpu;
    const LaunchConfigsTable& c = trace_.tables.launch_configs;
    const LaunchConfigId launch = t.launch_config[row];
    const auto of = [&](const Column<int64_t>& column) {
      return IsSet(launch) ? column[Index(launch)] : kMissing;
    };
    rows.Add(String(t.name[row])).Add(String(ShortName(t.name[row]))).AddNull();
    rows.AddNull().AddNull().AddOr(of(c.registers), 0);
    rows.AddOr(of(c.grid_x), 0).AddOr(of(c.grid_y), 0).AddOr(of(c.grid_z), 0);
    rows.AddOr(of(c.block_x), 0).AddOr(of(c.block_y), 0).AddOr(of(c.block_z), 0);
    const int64_t nothing = 0;
    rows.AddOr(of(c.shared_bytes), 0).Add(nothing).Add(nothing).Add(nothing);
    rows.Add(static_cast<int64_t>(row) + 1).AddNull().Add(GraphNode(row)).AddNull();
    const GpuExtraId extra = t.extra[row];
    rows.Add(IsSet(extra) ? trace_.tables.gpu_extras.graph[Index(extra)] : kMissing);
  }

  void Copy(size_t row, RowWriter& rows) {
    const GpuActivitiesTable& t = trace_.tables.gpu;
    const MemoryKinds kinds = MemoryKindsOf(t.copy_direction[row], t.host_memory[row]);
    rows.AddOr(t.bytes[row], 0).Add(CopyKindOf(t.copy_direction[row])).AddNull();
    rows.Add(kinds.source).Add(kinds.target);
    rows.AddNull().AddNull().AddNull().AddNull().AddNull();
    rows.Add(GraphNode(row)).AddNull().Add(int64_t{1});
  }

  void WriteSyncs() {
    constexpr int64_t kNoEvent = 0xFFFFFFFF;
    RowWriter rows(writer_, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
                   fmt::format("{}{}", kGpuColumns, kSyncColumns));
    const SyncsTable& t = trace_.tables.syncs;
    for (size_t i = 0; i < t.start.size() && Continue(i); ++i) {
      Begin(rows, t.start[i], t.duration[i], t.stream[i], t.correlation[i])
          .AddNull()
          .Add(SyncTypeOf(trace_.Text(t.name[i])))
          .AddOr(t.wait_event[i], kNoEvent)
          .EndRow();
    }
  }

  void WriteApi() {
    RowWriter rows(writer_, "CUPTI_ACTIVITY_KIND_RUNTIME",
                   "start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, "
                   "globalTid INTEGER, correlationId INTEGER, "
                   "nameId INTEGER NOT NULL REFERENCES StringIds(id), "
                   "returnValue INTEGER NOT NULL, callchainId INTEGER");
    const ApiCallsTable& t = trace_.tables.api;
    for (size_t i = 0; i < t.start.size() && Continue(i); ++i) {
      rows.Add(t.start[i]).Add(t.start[i] + t.duration[i]);
      rows.Add(static_cast<int64_t>(t.kind[i])).Add(ids_.Thread(t.thread[i]));
      rows.Add(t.correlation[i]).Add(String(t.name[i])).Add(int64_t{0}).EndRow();
    }
  }

  void SystemCall(size_t row, RowWriter& rows) {
    const HostRangesTable& t = trace_.tables.host;
    const int64_t nothing = 0;
    rows.Add(t.start[row]).Add(t.start[row] + t.duration[row]).Add(kOsrtClass);
    rows.Add(ids_.Thread(t.thread[row])).AddNull().Add(String(t.name[row]));
    rows.Add(nothing).AddNull().Add(nothing).EndRow();
  }

  void WriteHost() {
    RowWriter system_calls(writer_, "OSRT_API", kSystemCallColumns);
    RowWriter rows(writer_, "NVTX_EVENTS", kNvtxColumns);
    WriteDomains(rows);
    const auto add = [&](TimeNs start, TimeNs end, int64_t type, ThreadId thread, StringId name,
                         int64_t domain) {
      rows.Add(start).Add(end).Add(type).AddNull().AddNull().AddNull().AddNull();
      rows.Add(ids_.Thread(thread)).AddNull().Add(String(name)).Add(domain).EndRow();
    };
    const HostRangesTable& t = trace_.tables.host;
    for (size_t i = 0; i < t.start.size() && Continue(i); ++i) {
      if (t.kind[i] == HostKind::kSystemCall) {
        SystemCall(i, system_calls);
        continue;
      }
      const StringId lane = trace_.tables.threads.tid[Index(t.thread[i])];
      const bool start_end = trace_.Text(lane) == kStartEndLane;
      add(t.start[i], t.start[i] + t.duration[i],
          start_end ? kNvtxStartEndRange : kNvtxPushPopRange, t.thread[i], t.name[i],
          DomainOf(t.kind[i]));
    }
    const InstantsTable& points = trace_.tables.instants;
    for (size_t i = 0; i < points.time.size() && Continue(i); ++i) {
      if (trace_.Text(points.category[i]) == "counter") continue;
      add(points.time[i], kMissing, kNvtxMark, points.thread[i], points.name[i], 0);
    }
  }

  // Domains are defined per process.
  void WriteDomains(RowWriter& rows) {
    for (size_t i = 0; i < runs_.size(); ++i) {
      if (!runs_[i]) continue;
      for (const Domain& domain : kDomains) {
        rows.Add(int64_t{0}).AddNull().Add(kNvtxDomainCreate).AddNull().AddNull().AddNull();
        rows.Add(domain.name).Add(ids_.Process(MakeId<ProcessId>(i))).AddNull().AddNull();
        rows.Add(domain.id).EndRow();
      }
    }
  }

  void WriteThreads() {
    RowWriter rows(writer_, "ThreadNames",
                   "nameId INTEGER NOT NULL REFERENCES StringIds(id), priority INTEGER, "
                   "globalTid INTEGER");
    const ThreadsTable& t = trace_.tables.threads;
    for (size_t i = 0; i < t.name.size(); ++i) {
      if (t.name[i] == StringId::kEmpty) continue;
      rows.Add(String(t.name[i])).AddNull().Add(ids_.Thread(MakeId<ThreadId>(i))).EndRow();
    }
  }

  void WriteProcesses() {
    RowWriter rows(writer_, "PROCESSES", "globalPid INTEGER, pid INTEGER, name TEXT");
    const ProcessesTable& t = trace_.tables.processes;
    for (size_t i = 0; i < t.pid.size(); ++i) {
      if (!runs_[i]) continue;
      const int64_t global = ids_.Process(MakeId<ProcessId>(i));
      const bool named = t.name[i] != StringId::kEmpty;
      rows.Add(global).Add(GlobalIds::Pid(global));
      rows.Add(trace_.Text(named ? t.name[i] : t.pid[i])).EndRow();
    }
  }

  void WriteDevices() {
    RowWriter gpus(writer_, "TARGET_INFO_GPU",
                   "vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, busLocation TEXT, "
                   "isDiscrete INTEGER, l2CacheSize INTEGER, totalMemory INTEGER, "
                   "memoryBandwidth INTEGER, clockRate INTEGER, smCount INTEGER, uuid TEXT, "
                   "chipName TEXT, cuDevice INTEGER, maxShmemPerSm INTEGER, "
                   "maxRegistersPerSm INTEGER, threadsPerWarp INTEGER, maxWarpsPerSm INTEGER, "
                   "computeMajor INTEGER, computeMinor INTEGER");
    RowWriter cuda(writer_, "TARGET_INFO_CUDA_DEVICE",
                   "gpuId INTEGER, cudaId INTEGER NOT NULL, pid INTEGER NOT NULL, uuid TEXT, "
                   "numMultiprocessors INTEGER");
    const DevicesTable& t = trace_.tables.devices;
    const std::vector<int64_t> numbers = GpuNumbers();
    for (size_t i = 0; i < t.ordinal.size(); ++i) {
      const bool warps = t.threads_per_sm[i] != kMissing && t.warp_size[i] > 0;
      const int64_t gpu = numbers[i];
      gpus.Add(ids_.Machine(t.source[i]) << 48).Add(gpu).Add(trace_.Text(t.name[i])).AddNull();
      gpus.AddNull().AddNull().Add(t.memory_bytes[i]).AddNull().AddNull().Add(t.sms[i]).AddNull();
      gpus.AddNull().Add(t.ordinal[i]).Add(t.shared_per_sm[i]).Add(t.regs_per_sm[i]);
      gpus.Add(t.warp_size[i]).Add(warps ? t.threads_per_sm[i] / t.warp_size[i] : kMissing);
      gpus.Add(t.compute_major[i]).Add(t.compute_minor[i]).EndRow();
      for (const int64_t process : ProcessesOn(MakeId<DeviceId>(i))) {
        cuda.Add(gpu).Add(t.ordinal[i]).Add(GlobalIds::Pid(process));
        cuda.AddNull().Add(t.sms[i]).EndRow();
      }
    }
  }

  // Sources may have GPUs with equal numbers: those that did work keep their numbers.
  std::vector<int64_t> GpuNumbers() const {
    const Column<int64_t>& ordinals = trace_.tables.devices.ordinal;
    std::vector<int64_t> numbers(ordinals.size(), kMissing);
    std::set<int64_t> given;
    const auto keep = [&](size_t row) {
      if (numbers[row] == kMissing && given.insert(ordinals[row]).second) {
        numbers[row] = ordinals[row];
      }
    };
    for (const DeviceId device : trace_.tables.streams.device) keep(Index(device));
    for (size_t i = 0; i < ordinals.size(); ++i) keep(i);
    for (int64_t& number : numbers) {
      if (number == kMissing) number = *given.insert(*given.rbegin() + 1).first;
    }
    return numbers;
  }

  std::set<int64_t> ProcessesOn(DeviceId device) const {
    std::set<int64_t> processes;
    const StreamsTable& t = trace_.tables.streams;
    for (size_t i = 0; i < t.device.size(); ++i) {
      if (t.device[i] == device) processes.insert(ids_.GpuProcess(MakeId<StreamId>(i)));
    }
    const SourceId source = trace_.tables.devices.source[Index(device)];
    if (processes.empty()) processes.insert(ids_.GpuProcess(source));
    return processes;
  }

  void WriteStreams() {
    RowWriter rows(writer_, "TARGET_INFO_CUDA_STREAM",
                   "streamId INTEGER NOT NULL, hwId INTEGER NOT NULL, vmId INTEGER NOT NULL, "
                   "processId INTEGER NOT NULL, contextId INTEGER NOT NULL, "
                   "priority INTEGER NOT NULL, flag INTEGER NOT NULL");
    const StreamsTable& t = trace_.tables.streams;
    const int64_t nothing = 0;
    for (size_t i = 0; i < t.stream.size(); ++i) {
      if (t.stream[i] == kMissing) continue;
      const auto stream = MakeId<StreamId>(i);
      rows.Add(t.stream[i]).Add(nothing).Add(ids_.Machine(trace_.SourceOf(stream)));
      rows.Add(GlobalIds::Pid(ids_.GpuProcess(stream))).AddOr(t.context[i], 0);
      rows.Add(nothing).Add(nothing).EndRow();
    }
  }

  void WriteStrings() {
    RowWriter rows(writer_, "StringIds", "id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL");
    for (size_t i = 0; i < used_.size(); ++i) {
      if (!used_[i]) continue;
      rows.Add(static_cast<int64_t>(i)).Add(trace_.Text(MakeId<StringId>(i))).EndRow();
    }
  }

  void WriteSession() {
    RowWriter start(writer_, "TARGET_INFO_SESSION_START_TIME",
                    "utcEpochNs INTEGER, utcTime TEXT, localTime TEXT");
    if (const int64_t unix_ns = trace_.origin_unix_ns; unix_ns != kMissing) {
      const auto seconds = std::chrono::floor<std::chrono::seconds>(
          std::chrono::sys_time<std::chrono::nanoseconds>(std::chrono::nanoseconds(unix_ns)));
      const std::string text = fmt::format("{:%Y-%m-%dT%H:%M:%S}", seconds);
      start.Add(unix_ns).Add(std::string_view(text)).Add(std::string_view(text)).EndRow();
    }
    RowWriter meta(writer_, "META_DATA_EXPORT", "name TEXT NOT NULL, value TEXT");
    const auto add = [&](std::string_view name, std::string_view value) {
      meta.Add(name).Add(value).EndRow();
    };
    // The version of the schema that these tables follow.
    add("EXPORT_PRODUCT_NAME", "Warpsight");
    add("EXPORT_PRODUCT_VERSION", WARPSIGHT_VERSION);
    add("EXPORT_SCHEMA_VERSION", "3.25.0");
    add("EXPORT_SCHEMA_VERSION_MAJOR", "3");
    add("EXPORT_SCHEMA_VERSION_MINOR", "25");
    add("EXPORT_SCHEMA_VERSION_MICRO", "0");
    add("EXPORT_PARAM_EXPORT_TYPE", "SQLite");
  }

  const Profile& profile_;
  const Trace& trace_;
  const GlobalIds ids_;
  SqliteWriter& writer_;
  Progress& progress_;
  std::vector<bool> used_;  // strings
  std::vector<bool> runs_;  // processes that are not lanes of a GPU
};

}  // namespace

void WriteTables(const Profile& profile, SqliteWriter& writer, Progress& progress) {
  TableWriter(profile, writer, progress).Write();
}

}  // namespace warpsight::exporters::nsys_sqlite
