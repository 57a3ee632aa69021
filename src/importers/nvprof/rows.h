#pragma once

#include <string_view>

#include "model/trace_builder.h"

namespace warpsight::importers::nvprof {

// A copy as CUPTI numbers it.
struct CopyKind {
  CopyDirection direction = CopyDirection::kUnknown;
  HostMemory host_memory = HostMemory::kNone;
  std::string_view letters = "unknown";  // "HtoD"
};
CopyKind CopyKindOf(int64_t copy_kind, int64_t source_memory, int64_t target_memory);
// "Pageable", "Pinned", "Device", …
std::string_view MemoryName(int64_t memory_kind);

struct GpuRow {
  TimeNs start = 0;
  DurationNs duration = 0;
  StringId name = StringId::kEmpty;
  StreamId stream = kNone<StreamId>;
  GpuKind kind = GpuKind::kKernel;
  CopyDirection direction = CopyDirection::kNotACopy;
  HostMemory host_memory = HostMemory::kNone;
  int64_t correlation = kMissing;
  int64_t bytes = kMissing;
  LaunchConfigId launch = kNone<LaunchConfigId>;
};
void Add(const GpuRow& row, TracePart& part);

struct ApiRow {
  TimeNs start = 0;
  DurationNs duration = 0;
  StringId name = StringId::kEmpty;
  ThreadId thread = kNone<ThreadId>;
  ApiKind kind = ApiKind::kRuntime;
  int64_t correlation = kMissing;
};
void Add(const ApiRow& row, TracePart& part);

void AddMetadata(std::string_view key, std::string_view json, TracePart& part);

// Whether the stretch can be used; else it is logged.
bool UsableTimes(int64_t start, int64_t end, std::string_view what, TracePart& part);

}  // namespace warpsight::importers::nvprof
