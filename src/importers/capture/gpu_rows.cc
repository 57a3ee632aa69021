#include "importers/capture/gpu_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "base/utf8.h"
#include "importers/api/cupti_kinds.h"
#include "importers/api/demangle.h"

namespace warpsight::importers::capture {
namespace {

constexpr int64_t kNoStream = 0xFFFFFFFF;  // CUPTI_SYNCHRONIZATION_INVALID_VALUE

int64_t OrMissing(int64_t value) { return value == 0 ? kMissing : value; }

struct Work {
  GpuKind kind;
  StringId name = StringId::kEmpty;
  CopyDirection direction = CopyDirection::kNotACopy;
  HostMemory host_memory = HostMemory::kNone;
  int64_t bytes = kMissing;
  LaunchConfigId launch = kNone<LaunchConfigId>;
};

template <typename Record>
GpuExtraId ExtraOf(const Record& record, RowPart& rows) {
  if (record.graph == 0 && record.graph_node == 0) return kNone<GpuExtraId>;
  GpuExtrasTable& t = rows.tables().gpu_extras;
  t.graph.push_back(OrMissing(record.graph));
  t.graph_node.push_back(OrMissing(record.graph_node));
  t.op_name.push_back(StringId::kEmpty);
  t.op_type.push_back(StringId::kEmpty);
  t.op_path.push_back(StringId::kEmpty);
  return MakeId<GpuExtraId>(t.graph.size() - 1);
}

// The times of GPU work. If CUPTI did not measure them, logs that and returns nullopt.
template <typename Record>
std::optional<RowPart::Times> WorkTimes(const Record& record, RowPart& rows) {
  if (record.start != 0 && record.end != 0) return rows.TimesOf(record.start, record.end);
  rows.Log("untimed", "GPU work without times from CUPTI; it was left out");
  return std::nullopt;
}

template <typename Record>
void AddWork(const Record& record, RowPart::Times times, const Work& work, RowPart& rows) {
  GpuActivitiesTable& t = rows.tables().gpu;
  t.start.push_back(times.start);
  t.duration.push_back(times.duration);
  t.name.push_back(work.name);
  t.stream.push_back(rows.Stream(record.device, record.context, record.stream));
  t.kind.push_back(work.kind);
  t.copy_direction.push_back(work.direction);
  t.host_memory.push_back(work.host_memory);
  t.correlation.push_back(OrMissing(record.correlation));
  t.bytes.push_back(work.bytes);
  t.launch_config.push_back(work.launch);
  t.extra.push_back(ExtraOf(record, rows));
}

}  // namespace

StringId KernelName(int64_t number, RowPart& rows) {
  return rows.kernel_names.Get(number, [&](int64_t unseen) {
    const auto mangled = rows.Bytes(unseen);
    return mangled ? rows.part().Intern(RepairUtf8(Demangled(*mangled))) : StringId::kEmpty;
  });
}

void AddKernel(const wire::KernelRecord& record, RowPart& rows) {
  const auto times = WorkTimes(record, rows);
  if (!times) return;
  Work work{GpuKind::kKernel};
  work.name = KernelName(record.name, rows);
  if (work.name == StringId::kEmpty) rows.Log("no_name", "a kernel has no name");
  const auto within = [&](int64_t value) { return rows.Within(0, value, kLargestLaunch); };
  TracePart::LaunchConfig launch;
  launch.grid = {within(record.grid_x), within(record.grid_y), within(record.grid_z)};
  launch.block = {within(record.block_x), within(record.block_y), within(record.block_z)};
  launch.registers = within(record.registers);
  launch.shared_bytes = std::max<int64_t>(0, within(record.static_shared)) +
                        std::max<int64_t>(0, within(record.dynamic_shared));
  work.launch = rows.part().Launch(launch);
  AddWork(record, *times, work, rows);
}

void AddCopy(const wire::CopyRecord& record, RowPart& rows) {
  const auto times = WorkTimes(record, rows);
  if (!times) return;
  const CopyKind kind = CopyKindOf(record.kind, record.source, record.target);
  Work work{GpuKind::kCopy};
  work.name = rows.part().Intern(fmt::format("Memcpy {} ({} -> {})", kind.letters,
                                             MemoryName(record.source), MemoryName(record.target)));
  work.direction = kind.direction;
  work.host_memory = kind.host_memory;
  work.bytes = rows.Within(0, record.bytes, kLargestCount);
  AddWork(record, *times, work, rows);
}

void AddMemset(const wire::MemsetRecord& record, RowPart& rows) {
  const auto times = WorkTimes(record, rows);
  if (!times) return;
  Work work{GpuKind::kMemset};
  work.name = rows.part().Intern(fmt::format("Memset ({})", MemoryName(record.memory)));
  work.bytes = rows.Within(0, record.bytes, kLargestCount);
  AddWork(record, *times, work, rows);
}

void CollectContextDevices(const TracePart& part, ContextDevices& devices) {
  const TraceTables& t = part.tables;
  for (size_t s = 0; s < t.streams.device.size(); ++s) {
    devices[t.streams.context[s]] = t.devices.ordinal[Index(t.streams.device[s])];
  }
}

void AddSync(const wire::SyncRecord& record, const ContextDevices& devices, RowPart& rows) {
  // The names that PyTorch's profiler uses.
  static constexpr std::array<std::string_view, 5> kNames = {
      "Sync", "Event Sync", "Stream Wait Event", "Stream Sync", "Context Sync"};
  const auto times = WorkTimes(record, rows);
  if (!times) return;
  const bool known = record.kind > 0 && record.kind < static_cast<int64_t>(kNames.size());
  const auto device = devices.find(record.context);
  SyncsTable& t = rows.tables().syncs;
  t.start.push_back(times->start);
  t.duration.push_back(times->duration);
  t.name.push_back(rows.part().Intern(kNames[known ? static_cast<size_t>(record.kind) : 0]));
  t.stream.push_back(rows.Stream(device == devices.end() ? 0 : device->second, record.context,
                                 record.stream == kNoStream ? kMissing : record.stream));
  t.correlation.push_back(OrMissing(record.correlation));
  t.wait_event.push_back(record.event == kNoStream ? kMissing : OrMissing(record.event));
}

}  // namespace warpsight::importers::capture
