#include "importers/nvprof/rows.h"

#include <fmt/format.h>

namespace warpsight::importers::nvprof {

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
  t.bytes.push_back(Within(0, row.bytes, kLargestCount, part));
  t.launch_config.push_back(row.launch);
}

LaunchConfigId AddLaunch(TracePart::LaunchConfig launch, int64_t fixed_shared,
                         int64_t dynamic_shared, TracePart& part) {
  const auto within = [&](int64_t value) { return Within(0, value, kLargestLaunch, part); };
  for (int64_t& value : launch.grid) value = within(value);
  for (int64_t& value : launch.block) value = within(value);
  launch.registers = within(launch.registers);
  const int64_t fixed = within(fixed_shared);
  const int64_t dynamic = within(dynamic_shared);
  if (fixed != kMissing) launch.shared_bytes = fixed + (dynamic == kMissing ? 0 : dynamic);
  return part.Launch(launch);
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
  if (start <= 0 || end < start || end - start > kLongestSlice) {
    part.Log("bad_time", kMissing,
             fmt::format("a {} without valid times: it never ran, or the record is damaged", what));
    return false;
  }
  return true;
}

}  // namespace warpsight::importers::nvprof
