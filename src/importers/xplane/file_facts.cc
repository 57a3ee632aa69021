#include "importers/xplane/file_facts.h"

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/utf8.h"
#include "importers/api/xla_texts.h"
#include "importers/xplane/json_args.h"

namespace warpsight::importers::xplane {
namespace {

constexpr int64_t kLatestBase = int64_t{1} << 62;

StringId Text(std::string_view text, TracePart& part) {
  std::string buffer;
  return part.Intern(ValidUtf8(text, buffer));
}

void AddMetadata(std::string_view key, std::string_view json, TracePart& part) {
  if (json.empty()) return;
  part.tables.metadata.source.push_back(part.source());
  part.tables.metadata.key.push_back(Text(key, part));
  part.tables.metadata.value.push_back(Text(json, part));
}

// Adds the stats of a plane to the metadata, as one JSON object with the plane's name as key.
void AddStats(const Plane& plane, TracePart& part) {
  JsonArgs args;
  for (const std::string_view message : plane.stats) {
    const Stat stat = plane.ReadStat(message);
    if (!stat.name.empty()) args.Add(stat);
  }
  AddMetadata(plane.name, args.Finish(), part);
}

void AddDevice(const Plane& plane, int64_t ordinal, TracePart& part) {
  const size_t row = Index(part.Device(ordinal));
  DevicesTable& t = part.tables.devices;
  for (const std::string_view message : plane.stats) {
    const Stat stat = plane.ReadStat(message);
    const int64_t value = stat.IntegerOr(kMissing);
    if (stat.name == "gpu_device_name") t.name[row] = Text(stat.text, part);
    if (value == kMissing || value < 0) continue;
    if (stat.name == "core_count") t.sms[row] = value;
    if (stat.name == "memory_size") t.memory_bytes[row] = value;
    if (stat.name == "compute_cap_major") t.compute_major[row] = value;
    if (stat.name == "compute_cap_minor") t.compute_minor[row] = value;
  }
}

// Times count from the start of the recording; stores its Unix time.
void SetBase(const Plane& plane, SourceId source, TraceBuilder& builder) {
  for (const std::string_view message : plane.stats) {
    const Stat stat = plane.ReadStat(message);
    if (stat.name != "profile_start_time") continue;
    const int64_t base = stat.IntegerOr(kMissing);
    if (base >= 0 && base < kLatestBase) builder.SetUnixBase(source, base);
  }
}

std::string ProcessOf(const Plane& plane) {
  for (const std::string_view message : plane.stats) {
    const Stat stat = plane.ReadStat(message);
    if (stat.name != "process_id") continue;
    if (const int64_t pid = stat.IntegerOr(kMissing); pid != kMissing)
      return fmt::format("{}", pid);
  }
  std::string buffer;
  return std::string(ValidUtf8(plane.name, buffer));
}

}  // namespace

void AddNote(const ProtoFields& field, TracePart& part) {
  std::string buffer;
  JsonArgs args;
  switch (field.number()) {
    case 2:
      part.Log("profiler_error", kMissing, ValidUtf8(field.bytes(), buffer));
      break;
    case 3:
      part.Log("profiler_warning", kMissing, ValidUtf8(field.bytes(), buffer));
      break;
    case 4:
      args.AddText("name", field.bytes());
      AddMetadata("host", args.Finish(), part);
      break;
    default:
      break;
  }
}

PlaneKind AddPlaneFacts(const Plane& plane, SourceId source, TraceBuilder& builder,
                        TracePart& part) {
  // This plane repeats the call stacks of the scopes, with one stat for each.
  if (plane.name == "/host:__ScopeRangeCallStack__") return {};
  AddStats(plane, part);
  if (plane.name == "Task Environment") SetBase(plane, source, builder);
  PlaneKind kind;
  if (plane.name.starts_with("/device:GPU:")) {
    kind.device = xla::NumberBehind(plane.name, "GPU:").value_or(kMissing);
    if (kind.device == kMissing) return kind;
    kind.kind = PlaneKind::Kind::kGpu;
    AddDevice(plane, kind.device, part);
  } else if (plane.name.starts_with("/host:") && !plane.lines.empty()) {
    kind.kind = PlaneKind::Kind::kHost;
    kind.pid = ProcessOf(plane);
    part.tables.processes.name[Index(part.Process(kind.pid))] = Text(plane.name, part);
  }
  return kind;
}

}  // namespace warpsight::importers::xplane
