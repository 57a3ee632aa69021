#pragma once

#include <cstdint>
#include <string_view>

#include "importers/api/bounds.h"
#include "importers/api/cupti_kinds.h"
#include "model/trace_builder.h"

namespace warpsight::importers::nvprof {

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

// Interns launch parameters, with impossible values left out. Shared memory is the sum of both
// sizes.
LaunchConfigId AddLaunch(TracePart::LaunchConfig launch, int64_t fixed_shared,
                         int64_t dynamic_shared, TracePart& part);

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

// Whether the times are valid; if not, this is logged.
bool UsableTimes(int64_t start, int64_t end, std::string_view what, TracePart& part);

}  // namespace warpsight::importers::nvprof
