#include "importers/tensorrt/rows.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>

#include "importers/api/bounds.h"

namespace warpsight::importers::tensorrt {
namespace {

// Times beyond this, ten days, are treated as damage.
constexpr double kLargestMs = 1e9;

std::optional<TimeNs> TimeAt(const simdjson::dom::object& record, const char* key) {
  double ms = 0;
  if (record[key].get(ms) != simdjson::SUCCESS) return std::nullopt;
  if (!std::isfinite(ms) || std::fabs(ms) > kLargestMs) return std::nullopt;
  return std::llround(ms * 1e6);
}

struct Stretch {
  TimeNs start, end;
};

std::optional<Stretch> StretchAt(const simdjson::dom::object& record, const char* start_key,
                                 const char* end_key) {
  const auto start = TimeAt(record, start_key);
  const auto end = TimeAt(record, end_key);
  if (!start || !end || *end < *start) return std::nullopt;
  return Stretch{*start, *end};
}

}  // namespace

bool Rows::Add(const simdjson::dom::object& record) {
  int64_t count = 0;
  if (record["count"].get(count) == simdjson::SUCCESS) {
    part_.tables.metadata.source.push_back(part_.source());
    part_.tables.metadata.key.push_back(part_.Intern("count"));
    part_.tables.metadata.value.push_back(part_.Intern(fmt::format("{}", count)));
    return true;
  }
  return AddLayer(record) || AddInference(record);
}

bool Rows::AddLayer(const simdjson::dom::object& record) {
  std::string_view name;
  if (record["name"].get(name) != simdjson::SUCCESS) return false;
  const auto duration = TimeAt(record, "averageMs");
  if (!duration || *duration < 0 || next_layer_ > kLongestSlice) return false;
  ++layers_;
  AddWork(name, GpuKind::kKernel, CopyDirection::kNotACopy, next_layer_, next_layer_ + *duration,
          kMissing);
  next_layer_ += *duration;
  GpuExtrasTable& x = part_.tables.gpu_extras;
  x.args.push_back(StringId::kEmpty);
  x.op_name.push_back(part_.Intern(name));
  x.op_type.push_back(part_.Intern("layer"));
  part_.tables.gpu.extra.back() = MakeId<GpuExtraId>(x.args.size() - 1);
  return true;
}

bool Rows::AddInference(const simdjson::dom::object& record) {
  const auto enqueue = StretchAt(record, "startEnqMs", "endEnqMs");
  const auto compute = StretchAt(record, "startComputeMs", "endComputeMs");
  if (!enqueue || !compute) return false;
  const int64_t number = inferences_++;
  const ThreadId thread = part_.Thread("trtexec", "enqueue");
  HostRangesTable& host = part_.tables.host;
  host.start.push_back(enqueue->start);
  host.duration.push_back(enqueue->end - enqueue->start);
  host.name.push_back(part_.Intern(fmt::format("inference {}", number)));
  host.thread.push_back(thread);
  host.kind.push_back(HostKind::kAnnotation);
  ApiCallsTable& api = part_.tables.api;
  api.start.push_back(enqueue->start);
  api.duration.push_back(enqueue->end - enqueue->start);
  api.name.push_back(part_.Intern("enqueue"));
  api.thread.push_back(thread);
  api.kind.push_back(ApiKind::kRuntime);
  api.correlation.push_back(number);
  if (const auto copy = StretchAt(record, "startH2dMs", "endH2dMs")) {
    AddWork("Memcpy HtoD", GpuKind::kCopy, CopyDirection::kHostToDevice, copy->start, copy->end,
            number);
  }
  AddWork("compute", GpuKind::kKernel, CopyDirection::kNotACopy, compute->start, compute->end,
          number);
  if (const auto copy = StretchAt(record, "startD2hMs", "endD2hMs")) {
    AddWork("Memcpy DtoH", GpuKind::kCopy, CopyDirection::kDeviceToHost, copy->start, copy->end,
            number);
  }
  return true;
}

void Rows::AddWork(std::string_view name, GpuKind kind, CopyDirection direction, TimeNs start,
                   TimeNs end, int64_t correlation) {
  const int64_t stream = direction == CopyDirection::kHostToDevice   ? 1
                         : direction == CopyDirection::kDeviceToHost ? 2
                                                                     : 0;
  GpuActivitiesTable& t = part_.tables.gpu;
  t.start.push_back(start);
  t.duration.push_back(end - start);
  t.name.push_back(part_.Intern(name));
  t.stream.push_back(part_.Stream(0, kMissing, stream));
  t.kind.push_back(kind);
  t.copy_direction.push_back(direction);
  t.host_memory.push_back(kind == GpuKind::kCopy ? HostMemory::kUnknown : HostMemory::kNone);
  t.correlation.push_back(correlation);
  t.extra.push_back(kNone<GpuExtraId>);
}

}  // namespace warpsight::importers::tensorrt
