#include "importers/nvprof/rows.h"

#include <fmt/format.h>

namespace warpsight::importers::nvprof {
namespace {

// Longer slices are taken for damage: 2^48 ns is three days.
constexpr DurationNs kLongest = DurationNs{1} << 48;

constexpr int64_t kPageable = 1;
constexpr int64_t kPinned = 2;

}  // namespace

std::string_view MemoryName(int64_t memory_kind) {
  switch (memory_kind) {
    case kPageable:
      return "Pageable";
    case kPinned:
      return "Pinned";
    case 3:
      return "Device";
    case 4:
      return "Array";
    case 5:
      return "Managed";
    case 6:
      return "Device Static";
    case 7:
      return "Managed Static";
    default:
      return "Unknown";
  }
}

CopyKind CopyKindOf(int64_t copy_kind, int64_t source_memory, int64_t target_memory) {
  const auto memory = [](int64_t kind) {
    if (kind == kPageable) return HostMemory::kPageable;
    return kind == kPinned ? HostMemory::kPinned : HostMemory::kUnknown;
  };
  switch (copy_kind) {
    case 1:
      return {CopyDirection::kHostToDevice, memory(source_memory), "HtoD"};
    case 2:
      return {CopyDirection::kDeviceToHost, memory(target_memory), "DtoH"};
    case 3:
      return {CopyDirection::kHostToDevice, memory(source_memory), "HtoA"};
    case 4:
      return {CopyDirection::kDeviceToHost, memory(target_memory), "AtoH"};
    case 5:
      return {CopyDirection::kDeviceToDevice, HostMemory::kNone, "AtoA"};
    case 6:
      return {CopyDirection::kDeviceToDevice, HostMemory::kNone, "AtoD"};
    case 7:
      return {CopyDirection::kDeviceToDevice, HostMemory::kNone, "DtoA"};
    case 8:
      return {CopyDirection::kDeviceToDevice, HostMemory::kNone, "DtoD"};
    case 9:
      return {CopyDirection::kHostToHost, memory(source_memory), "HtoH"};
    case 10:
      return {CopyDirection::kPeerToPeer, HostMemory::kNone, "PtoP"};
    default:
      return {};
  }
}

void Add(const GpuRow& row, TracePart& part) {
  GpuActivitiesTable& t = part.tables.gpu;
  t.start.push_back(row.start);
  t.duration.push_back(row.duration);
  t.name.push_back(row.name);
  t.stream.push_back(row.stream);
  t.kind.push_back(row.kind);
  t.copy_direction.push_back(row.direction);
  t.host_memory.push_back(row.host_memory);
  t.correlation.push_back(row.correlation);
  t.bytes.push_back(row.bytes);
  t.launch_config.push_back(row.launch);
}

void Add(const ApiRow& row, TracePart& part) {
  ApiCallsTable& t = part.tables.api;
  t.start.push_back(row.start);
  t.duration.push_back(row.duration);
  t.name.push_back(row.name);
  t.thread.push_back(row.thread);
  t.kind.push_back(row.kind);
  t.correlation.push_back(row.correlation);
}

void AddMetadata(std::string_view key, std::string_view json, TracePart& part) {
  MetadataTable& t = part.tables.metadata;
  t.source.push_back(part.source());
  t.key.push_back(part.Intern(key));
  t.value.push_back(part.Intern(json));
}

bool UsableTimes(int64_t start, int64_t end, std::string_view what, TracePart& part) {
  if (start <= 0 || end < start || end - start > kLongest) {
    part.Log(
        "bad_time", kMissing,
        fmt::format("a {} without sensible times: it never ran, or the record is damaged", what));
    return false;
  }
  return true;
}

}  // namespace warpsight::importers::nvprof
