#include "importers/xplane/row_maker.h"

#include <algorithm>

#include "base/text.h"
#include "importers/api/xla_texts.h"
#include "importers/xplane/proto_fields.h"
#include "importers/xplane/texts.h"

namespace warpsight::importers::xplane {
namespace {

bool IsInternal(StatKind kind) { return kind == StatKind::kInternal; }

bool HasGpuColumn(StatKind kind) {
  switch (kind) {
    case StatKind::kOther:
    case StatKind::kHloOp:  // the op's column may hold a finer one
    case StatKind::kHloModule:
    case StatKind::kGroup:
      return false;
    default:
      return true;
  }
}

bool HasApiColumn(StatKind kind) {
  return kind == StatKind::kInternal || kind == StatKind::kCorrelation ||
         kind == StatKind::kContext;
}

}  // namespace

RowMaker::RowMaker(const Plane& plane, const PlaneKind& kind, const Line& line,
                   HloModules& programs, const char* file, StretchRows& rows)
    : plane_(plane),
      kind_(kind),
      line_(line),
      programs_(programs),
      file_(file),
      rows_(rows),
      part_(rows.part),
      lane_(LaneOf(kind, line)),
      tid_(std::to_string(line.id)) {
  if (lane_ == Lane::kThread) {
    part_.tables.threads.name[Index(part_.Thread(kind.pid, tid_))] = Text(line.name);
  } else if (lane_ == Lane::kStream) {
    stream_ = xla::NumberBehind(line.name, "#").value_or(static_cast<int64_t>(line.id));
  }
}

// Beside streams, a GPU's plane may hold lines that the profiler derived from them. Those that
// repeat every kernel under the name of its op say nothing that the kernels do not say themselves.
RowMaker::Lane RowMaker::LaneOf(const PlaneKind& kind, const Line& line) {
  if (kind.kind == PlaneKind::Kind::kHost) return Lane::kThread;
  if (line.name.starts_with("Stream #")) return Lane::kStream;
  if (line.name == "Steps") return Lane::kSteps;
  if (line.name == "XLA Modules" || line.name.ends_with("Name Scope")) return Lane::kRanges;
  return Lane::kRepeats;
}

void RowMaker::Read(std::string_view stretch) {
  Event event;
  ProtoFields fields(stretch);
  while (fields.Next()) {
    if (fields.number() != 4) continue;
    if (fields.cut()) break;  // logged with the plane
    ++rows_.events;
    if (const auto problem = ReadEvent(plane_, line_.timestamp_ns, fields.bytes(), event)) {
      part_.Log(problem->code, OffsetOf(fields.place()), problem->message);
    } else {
      Add(event);
    }
  }
}

void RowMaker::Add(const Event& event) {
  switch (lane_) {
    case Lane::kThread:
      AddHost(event);
      break;
    case Lane::kStream:
      AddGpu(event);
      break;
    case Lane::kSteps:
      AddStep(event);
      break;
    case Lane::kRanges:
      AddGpuAnnotation(event);
      break;
    case Lane::kRepeats:
      break;
  }
}

void RowMaker::AddHost(const Event& event) {
  NoteGroup(event);
  const std::string_view name = event.name->name;
  if (event.correlation != kMissing || xla::IsApiFunction(name)) {
    AddApi(event);
  } else if (name == "MemoryAllocation" || name == "MemoryDeallocation") {
    AddMemory(event, name == "MemoryDeallocation");
  } else {
    AddHostRange(event);
  }
}

void RowMaker::NoteGroup(const Event& event) {
  rows_.has_steps = rows_.has_steps || event.has_step;
  if (event.group == kMissing) return;
  const Interval times{event.start, event.start + event.duration};
  auto [it, added] = rows_.host_spans.try_emplace(event.group, times);
  if (added) return;
  it->second.start = std::min(it->second.start, times.start);
  it->second.end = std::max(it->second.end, times.end);
}

void RowMaker::AddHostRange(const Event& event) {
  const std::string_view name = event.name->name;
  // The writer shows ops under their type; other names may look like an op's.
  auto op = xla::ParseTensorFlowOp(name);
  if (op && op->type != event.name->display_name) op.reset();
  const bool python = name.starts_with('$');
  HostRangesTable& t = part_.tables.host;
  t.start.push_back(event.start);
  t.duration.push_back(event.duration);
  t.name.push_back(op ? Text(op->name) : Name(event));
  t.thread.push_back(part_.Thread(kind_.pid, tid_));
  t.kind.push_back(op ? HostKind::kOp : python ? HostKind::kPythonFunction : HostKind::kAnnotation);
  t.external_id.push_back(kMissing);
  t.sequence.push_back(kMissing);
  t.forward_thread.push_back(kMissing);
  t.signature.push_back(kNone<SignatureId>);
  const StringId args = Args(event, IsInternal);
  if (args == StringId::kEmpty && !op) {
    t.extra.push_back(kNone<HostExtraId>);
    return;
  }
  HostExtrasTable& x = part_.tables.host_extras;
  x.call_stack.push_back(StringId::kEmpty);
  x.module_hierarchy.push_back(op ? Text(op->path) : StringId::kEmpty);
  x.args.push_back(args);
  x.op_type.push_back(op ? Text(op->type) : StringId::kEmpty);
  x.python_id.push_back(kMissing);
  x.python_parent.push_back(kMissing);
  x.python_module.push_back(kMissing);
  x.collective.push_back(kNone<CollectiveId>);
  t.extra.push_back(MakeId<HostExtraId>(x.args.size() - 1));
}

void RowMaker::AddMemory(const Event& event, bool frees) {
  constexpr int64_t kLargest = int64_t{1} << 53;
  int64_t bytes = kMissing, in_use = kMissing, address = kMissing;
  std::string_view allocator;
  for (const Stat& stat : event.stats) {
    const int64_t value = stat.IntegerOr(kMissing);
    const int64_t amount = value >= 0 && value <= kLargest ? value : kMissing;
    if (stat.kind == StatKind::kAllocationBytes) bytes = amount;
    if (stat.kind == StatKind::kBytesAllocated) in_use = amount;
    if (stat.kind == StatKind::kAddress) address = value;
    if (stat.kind == StatKind::kAllocator) allocator = stat.text;
  }
  const bool on_host = Contains(allocator, "host") || Contains(allocator, "cpu");
  MemoryEventsTable& t = part_.tables.memory;
  t.time.push_back(event.start);
  t.thread.push_back(part_.Thread(kind_.pid, tid_));
  t.device_type.push_back(on_host ? 0 : 1);
  t.device.push_back(xla::NumberBehind(allocator, "GPU_").value_or(on_host ? -1 : 0));
  t.address.push_back(address);
  t.bytes.push_back(frees && bytes != kMissing ? -bytes : bytes);
  t.total_allocated.push_back(in_use);
  t.total_reserved.push_back(kMissing);
}

void RowMaker::AddApi(const Event& event) {
  const std::string_view function = xla::ApiFunctionOf(event.name->name, event.copy_details);
  ApiCallsTable& t = part_.tables.api;
  t.start.push_back(event.start);
  t.duration.push_back(event.duration);
  t.name.push_back(Text(function));
  t.thread.push_back(part_.Thread(kind_.pid, tid_));
  t.kind.push_back(xla::ApiKindOf(function));
  t.correlation.push_back(event.correlation);
  t.external_id.push_back(kMissing);
  t.args.push_back(Args(event, HasApiColumn, function == event.name->name ? "" : "record"));
}

void RowMaker::AddGpu(const Event& event) {
  const std::string_view name = event.name->name;
  const GpuKind kind = xla::GpuKindOf(name, !event.kernel_details.empty());
  const bool copy = kind == GpuKind::kCopy;
  const CopyDirection direction = copy ? xla::CopyDirectionOf(name) : CopyDirection::kNotACopy;
  GpuActivitiesTable& t = part_.tables.gpu;
  t.start.push_back(event.start);
  t.duration.push_back(event.duration);
  t.name.push_back(Name(event));
  t.stream.push_back(StreamOf(stream_));
  t.kind.push_back(kind);
  t.copy_direction.push_back(direction);
  t.host_memory.push_back(copy ? xla::HostMemoryOf(event.copy_details, direction)
                               : HostMemory::kNone);
  t.correlation.push_back(event.correlation);
  t.external_id.push_back(kMissing);
  t.bytes.push_back(xla::CopiedBytes(event.copy_details));
  t.launch_config.push_back(event.kernel_details.empty() ? kNone<LaunchConfigId>
                                                         : Launch(event.kernel_details));
  AddGpuExtra(event);
}

void RowMaker::AddGpuExtra(const Event& event) {
  xla::OpStats stats{event.hlo_op, event.hlo_module, event.scope, event.tf_op};
  if (!event.hlo_op.empty()) {
    if (const auto* found = programs_.Find(event.program, event.hlo_op, event.name->name)) {
      stats.hlo_op = found->name;
      if (stats.scope.empty()) stats.scope = found->scope;
    }
  }
  const xla::OpName op = xla::NamedOp(stats);
  GpuExtrasTable& x = part_.tables.gpu_extras;
  x.graph.push_back(event.graph);
  x.graph_node.push_back(event.graph_node);
  x.args.push_back(Args(event, HasGpuColumn));
  x.collective.push_back(kNone<CollectiveId>);
  x.op_name.push_back(Text(op.name));
  x.op_type.push_back(Text(op.type));
  x.op_path.push_back(Text(op.path));
  part_.tables.gpu.extra.push_back(MakeId<GpuExtraId>(x.args.size() - 1));
}

void RowMaker::AddGpuAnnotation(const Event& event) {
  GpuAnnotationsTable& t = part_.tables.gpu_annotations;
  t.start.push_back(event.start);
  t.duration.push_back(event.duration);
  t.name.push_back(Name(event));
  t.stream.push_back(StreamOf(kMissing));
  t.external_id.push_back(kMissing);
}

void RowMaker::AddStep(const Event& event) {
  AddGpuAnnotation(event);
  if (event.group == kMissing) return;
  rows_.derived_steps.push_back({event.group, {event.start, event.start + event.duration}});
}

StringId RowMaker::Text(std::string_view text) { return part_.Intern(ValidUtf8(text, buffer_)); }

StringId RowMaker::Name(const Event& event) {
  auto [it, added] = names_.try_emplace(event.name, StringId::kEmpty);
  if (added) it->second = Text(event.name->name);
  return it->second;
}

StringId RowMaker::Args(const Event& event, bool (*has_column)(StatKind),
                        std::string_view name_key) {
  args_.Clear();
  if (!name_key.empty()) args_.AddText(name_key, event.name->name);
  for (const Stat& stat : event.stats) {
    if (!has_column(stat.kind)) args_.Add(stat);
  }
  return part_.Intern(args_.Finish());
}

LaunchConfigId RowMaker::Launch(std::string_view details) {
  auto [it, added] = launches_.try_emplace(details, kNone<LaunchConfigId>);
  if (added) it->second = part_.Launch(xla::ReadKernelDetails(details));
  return it->second;
}

StreamId RowMaker::StreamOf(int64_t stream) { return part_.Stream(kind_.device, kMissing, stream); }

}  // namespace warpsight::importers::xplane
