#pragma once

#include <cstdint>
#include <string_view>

#include "model/tables.h"

namespace warpsight {

// The meaning of CUPTI's number for a kind of copy.
struct CopyKind {
  CopyDirection direction = CopyDirection::kUnknown;
  HostMemory host_memory = HostMemory::kNone;
  std::string_view letters = "unknown";  // "HtoD"
};
CopyKind CopyKindOf(int64_t copy_kind, int64_t source_memory, int64_t target_memory);
// "Pageable", "Pinned", "Device", …
std::string_view MemoryName(int64_t memory_kind);

}  // namespace warpsight
