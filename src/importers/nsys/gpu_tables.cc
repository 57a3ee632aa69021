#include "importers/nsys/gpu_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <vector>

#include "importers/api/bounds.h"

namespace warpsight::importers::nsys {
namespace {

constexpr int64_t kNoStream = 0xFFFFFFFF;

// The columns that all tables of GPU work have; they come first in every SELECT below.
enum Common { kStart, kEnd, kDevice, kContext, kStream, kCorrelation, kPid, kGraphNode, kGraph };
constexpr int kCommon = kGraph + 1;

std::vector<std::string_view> Columns(std::initializer_list<std::string_view> own) {
  std::vector<std::string_view> columns = {"start",     "end",         "deviceId",
                                           "contextId", "streamId",    "correlationId",
                                           "globalPid", "graphNodeId", "graphId"};
  columns.insert(columns.end(), own);
  return columns;
}

int64_t StreamNumber(const SqliteRows& rows) {
  const int64_t stream = rows.IntegerOr(kStream, kMissing);
  return stream == kNoStream ? kMissing : stream;
}

StreamId StreamAt(const SqliteRows& rows, TablePart& part) {
  return part.Stream(rows.IntegerOr(kPid, kMissing), rows.Integer(kDevice),
                     rows.IntegerOr(kContext, kMissing), StreamNumber(rows));
}

GpuExtraId ExtraAt(const SqliteRows& rows, TablePart& part) {
  if (rows.IsNull(kGraphNode) && rows.IsNull(kGraph)) return kNone<GpuExtraId>;
  GpuExtrasTable& t = part.tables().gpu_extras;
  t.graph.push_back(rows.IntegerOr(kGraph, kMissing));
  t.graph_node.push_back(rows.IntegerOr(kGraphNode, kMissing));
  t.args.push_back(StringId::kEmpty);
  t.collective.push_back(kNone<CollectiveId>);
  return MakeId<GpuExtraId>(t.args.size() - 1);
}

struct Work {
  GpuKind kind;
  StringId name;
  CopyDirection direction = CopyDirection::kNotACopy;
  HostMemory host_memory = HostMemory::kNone;
  int64_t bytes = kMissing;
  LaunchConfigId launch = kNone<LaunchConfigId>;
};

void AddWork(const SqliteRows& rows, TablePart::Times times, const Work& work, TablePart& part) {
  GpuActivitiesTable& t = part.tables().gpu;
  t.start.push_back(times.start);
  t.duration.push_back(times.duration);
  t.name.push_back(work.name);
  t.stream.push_back(StreamAt(rows, part));
  t.kind.push_back(work.kind);
  t.copy_direction.push_back(work.direction);
  t.host_memory.push_back(work.host_memory);
  t.correlation.push_back(rows.IntegerOr(kCorrelation, kMissing));
  t.bytes.push_back(work.bytes);
  t.launch_config.push_back(work.launch);
  t.extra.push_back(ExtraAt(rows, part));
}

// CUPTI_ActivityMemcpyKind. Arrays count as device memory; the last three are migrations of unified
// memory.
struct CopyKind {
  std::string_view name;
  CopyDirection direction;
};
constexpr std::array<CopyKind, 14> kCopyKinds = {
    {{"", CopyDirection::kUnknown},
     {"HtoD", CopyDirection::kHostToDevice},
     {"DtoH", CopyDirection::kDeviceToHost},
     {"HtoA", CopyDirection::kHostToDevice},
     {"AtoH", CopyDirection::kDeviceToHost},
     {"AtoA", CopyDirection::kDeviceToDevice},
     {"AtoD", CopyDirection::kDeviceToDevice},
     {"DtoA", CopyDirection::kDeviceToDevice},
     {"DtoD", CopyDirection::kDeviceToDevice},
     {"HtoH", CopyDirection::kHostToHost},
     {"PtoP", CopyDirection::kPeerToPeer},
     {"Unified HtoD", CopyDirection::kHostToDevice},
     {"Unified DtoH", CopyDirection::kDeviceToHost},
     {"Unified DtoD", CopyDirection::kDeviceToDevice}}};

constexpr std::array<std::string_view, 7> kMemoryKinds = {
    "Pageable", "Pinned", "Device", "Array", "Managed", "Device Static", "Managed Static"};

CopyKind CopyKindAt(int64_t kind) {
  return kind >= 0 && kind < static_cast<int64_t>(kCopyKinds.size())
             ? kCopyKinds[static_cast<size_t>(kind)]
             : kCopyKinds[0];
}

std::string_view MemoryKind(int64_t kind) {
  return kind >= 0 && kind < static_cast<int64_t>(kMemoryKinds.size())
             ? kMemoryKinds[static_cast<size_t>(kind)]
             : "Unknown";
}

HostMemory HostSide(CopyDirection direction, int64_t source_kind, int64_t target_kind) {
  if (direction == CopyDirection::kDeviceToDevice || direction == CopyDirection::kPeerToPeer) {
    return HostMemory::kNone;
  }
  const int64_t kind = direction == CopyDirection::kDeviceToHost ? target_kind : source_kind;
  if (kind == 0) return HostMemory::kPageable;
  return kind == 1 ? HostMemory::kPinned : HostMemory::kUnknown;
}

}  // namespace

void ReadKernels(const SqliteDatabase& database, std::string_view rows, TablePart& part) {
  enum {
    kLong = kCommon,
    kShort,
    kMangled,
    kGrid,
    kBlock = kGrid + 3,
    kRegisters = kBlock + 3,
    kStatic,
    kDynamic
  };
  const auto kernels =
      database.Select(part.table(),
                      Columns({"demangledName", "shortName", "mangledName", "gridX", "gridY",
                               "gridZ", "blockX", "blockY", "blockZ", "registersPerThread",
                               "staticSharedMemory", "dynamicSharedMemory"}),
                      rows);
  while (part.Next(*kernels)) {
    const auto times = part.TimesAt(*kernels, kStart, kEnd);
    if (!times) continue;
    Work work{GpuKind::kKernel, StringId::kEmpty};
    for (const int column : {kLong, kShort, kMangled}) {
      if (work.name != StringId::kEmpty || kernels->IsNull(column)) continue;
      work.name = part.Text(kernels->Integer(column));
    }
    if (work.name == StringId::kEmpty) part.Log("no_name", "a kernel has no name");
    TracePart::LaunchConfig launch;
    for (int i = 0; i < 3; ++i) {
      launch.grid[static_cast<size_t>(i)] = part.Within(*kernels, kGrid + i, kLargestLaunch);
      launch.block[static_cast<size_t>(i)] = part.Within(*kernels, kBlock + i, kLargestLaunch);
    }
    launch.registers = part.Within(*kernels, kRegisters, kLargestLaunch);
    const int64_t fixed = part.Within(*kernels, kStatic, kLargestLaunch);
    const int64_t dynamic = part.Within(*kernels, kDynamic, kLargestLaunch);
    if (fixed != kMissing || dynamic != kMissing) {
      launch.shared_bytes = std::max<int64_t>(fixed, 0) + std::max<int64_t>(dynamic, 0);
    }
    work.launch = part.part().Launch(launch);
    AddWork(*kernels, *times, work, part);
  }
}

void ReadGraphs(const SqliteDatabase& database, std::string_view rows, TablePart& part) {
  const auto graphs = database.Select(part.table(), Columns({}), rows);
  while (part.Next(*graphs)) {
    const auto times = part.TimesAt(*graphs, kStart, kEnd);
    if (!times) continue;
    part.Log("whole_graph",
             "a CUDA graph was traced as a whole, its kernels were not (record with "
             "--cuda-graph-trace=node)");
    Work work{GpuKind::kKernel, StringId::kEmpty};
    work.name = part.part().Intern(fmt::format("CUDA graph {}", graphs->Integer(kGraph)));
    AddWork(*graphs, *times, work, part);
  }
}

void ReadCopies(const SqliteDatabase& database, std::string_view rows, TablePart& part) {
  enum { kBytes = kCommon, kKind, kSource, kTarget };
  const auto copies =
      database.Select(part.table(), Columns({"bytes", "copyKind", "srcKind", "dstKind"}), rows);
  while (part.Next(*copies)) {
    const auto times = part.TimesAt(*copies, kStart, kEnd);
    if (!times) continue;
    const CopyKind kind = CopyKindAt(copies->Integer(kKind));
    const int64_t source = copies->IntegerOr(kSource, kMissing);
    const int64_t target = copies->IntegerOr(kTarget, kMissing);
    Work work{GpuKind::kCopy, StringId::kEmpty};
    work.name = part.part().Intern(fmt::format("Memcpy {}{}({} -> {})", kind.name,
                                               kind.name.empty() ? "" : " ", MemoryKind(source),
                                               MemoryKind(target)));
    work.direction = kind.direction;
    work.host_memory = HostSide(kind.direction, source, target);
    work.bytes = part.Within(*copies, kBytes, kLargestCount);
    AddWork(*copies, *times, work, part);
  }
}

void ReadMemsets(const SqliteDatabase& database, std::string_view rows, TablePart& part) {
  enum { kBytes = kCommon, kKind };
  const auto memsets = database.Select(part.table(), Columns({"bytes", "memKind"}), rows);
  while (part.Next(*memsets)) {
    const auto times = part.TimesAt(*memsets, kStart, kEnd);
    if (!times) continue;
    Work work{GpuKind::kMemset, StringId::kEmpty};
    work.name = part.part().Intern(
        fmt::format("Memset ({})", MemoryKind(memsets->IntegerOr(kKind, kMissing))));
    work.bytes = part.Within(*memsets, kBytes, kLargestCount);
    AddWork(*memsets, *times, work, part);
  }
}

void CollectContextDevices(const TracePart& part, ContextDevices& devices) {
  const TraceTables& t = part.tables;
  for (size_t s = 0; s < t.streams.device.size(); ++s) {
    if (!IsSet(t.streams.process[s])) continue;
    const StringId pid = t.processes.pid[Index(t.streams.process[s])];
    devices[{std::string(part.strings.View(pid)), t.streams.context[s]}] =
        t.devices.ordinal[Index(t.streams.device[s])];
  }
}

void ReadSyncs(const SqliteDatabase& database, const ContextDevices& devices, TablePart& part) {
  enum { kType = kCommon, kEvent };
  static constexpr std::array<std::string_view, 5> kNames = {
      "Sync", "Event Sync", "Stream Wait Event", "Stream Sync", "Context Sync"};
  const auto syncs = database.Select(part.table(), Columns({"syncType", "eventId"}));
  SyncsTable& t = part.tables().syncs;
  while (part.Next(*syncs)) {
    const auto times = part.TimesAt(*syncs, kStart, kEnd);
    if (!times) continue;
    const int64_t type = syncs->Integer(kType);
    const int64_t pid = syncs->IntegerOr(kPid, kMissing);
    const int64_t context = syncs->IntegerOr(kContext, kMissing);
    const auto device = devices.find({std::to_string(PidOf(syncs->Integer(kPid))), context});
    const int64_t event = syncs->IntegerOr(kEvent, kMissing);
    t.start.push_back(times->start);
    t.duration.push_back(times->duration);
    t.name.push_back(part.part().Intern(type > 0 && type < static_cast<int64_t>(kNames.size())
                                            ? kNames[static_cast<size_t>(type)]
                                            : kNames[0]));
    t.stream.push_back(device == devices.end()
                           ? StreamAt(*syncs, part)
                           : part.StreamOn(device->second, pid, context, StreamNumber(*syncs)));
    t.correlation.push_back(syncs->IntegerOr(kCorrelation, kMissing));
    t.wait_stream.push_back(kMissing);
    t.wait_event.push_back(event == kNoStream ? kMissing : event);
    t.wait_record_correlation.push_back(kMissing);
  }
}

}  // namespace warpsight::importers::nsys
