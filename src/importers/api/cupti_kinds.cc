#include "importers/api/cupti_kinds.h"

namespace warpsight {
namespace {

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

}  // namespace warpsight
