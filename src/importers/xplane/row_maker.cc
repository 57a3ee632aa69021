#include "importers/xplane/row_maker.h"

#include <algorithm>
#include <type_traits>

#include "base/text.h"
#include "base/utf8.h"
#include "importers/api/xla_texts.h"
#include "importers/xplane/proto_fields.h"
#include "model/copy_name.h"

namespace warpsight::importers::xplane {
namespace {

// The group only identifies steps; it is not a property of an event.
bool IsArgumentOfHost(StatKind kind) {
  return kind != StatKind::kInternal && kind != StatKind::kGroup;
}

bool IsArgumentOfApi(StatKind kind) {
  return IsArgumentOfHost(kind) && kind != StatKind::kCorrelation && kind != StatKind::kContext;
}

bool IsArgumentOfGpu(StatKind kind) {
  // The op's column may contain a more specific name than hlo_op.
  return kind == StatKind::kOther || kind == StatKind::kHloOp || kind == StatKind::kHloModule;
}

bool DescribesOp(StatKind kind) {
  return kind == StatKind::kHloOp || kind == StatKind::kHloModule || kind == StatKind::kScope ||
         kind == StatKind::kTfOp || kind == StatKind::kProgram;
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
      lane_(LaneOf(kind, line)) {
  if (lane_ == Lane::kThread) {
    thread_ = part_.Thread(kind.pid, std::to_string(line.id));
    part_.tables.threads.name[Index(thread_)] = Text(line.name);
  } else if (lane_ == Lane::kStream) {
    stream_ = xla::NumberBehind(line.name, "#").value_or(static_cast<int64_t>(line.id));
  }
}

// Besides streams, the plane of a GPU may have lines that the profiler derived from them. Those
// that repeat every kernel under the name of its op contain no further information.
RowMaker::Lane RowMaker::LaneOf(const PlaneKind& kind, const Line& line) {
  if (kind.kind == PlaneKind::Kind::kHost) return Lane::kThread;
  if (line.name.starts_with("Stream #")) return Lane::kStream;
  if (line.name == "Steps") return Lane::kSteps;
  if (line.name == "XLA Modules" || line.name.ends_with("Name Scope")) return Lane::kRanges;
  return Lane::kRepeats;
}

void RowMaker::Read(const Line::Stretch& stretch) {
  Reserve(stretch.events);
  Event event;
  ProtoFields fields(stretch.bytes);
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

// Reserves columns, since columns that grow row by row are copied repeatedly. Most lines become one
// table; reserved but unused memory costs nothing.
void RowMaker::Reserve(size_t events) {
  const auto reserve = [&](auto& table) {
    using Table = std::decay_t<decltype(table)>;
    Table::Columns([&](const ColumnInfo&, auto column) { (table.*column).reserve(events); });
  };
  if (lane_ == Lane::kThread) {
    reserve(part_.tables.host);
    reserve(part_.tables.host_extras);
  } else if (lane_ == Lane::kStream) {
    reserve(part_.tables.gpu);
    reserve(part_.tables.gpu_extras);
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
  const NameFacts& facts = FactsOf(*event.name);
  if (event.correlation != kMissing || facts.api_function) {
    AddApi(event);
  } else if (facts.allocates || facts.frees) {
    AddMemory(event, facts.frees);
  } else {
    AddHostRange(event);
  }
}

void RowMaker::NoteGroup(const Event& event) {
  rows_.has_steps = rows_.has_steps || event.has_step;
  if (event.group == kMissing) return;
  const Interval times{event.start, event.start + event.duration};
  if (group_.second == nullptr || group_.first != event.group) {
    group_ = {event.group, &rows_.host_spans.try_emplace(event.group, times).first->second};
  }
  group_.second->start = std::min(group_.second->start, times.start);
  group_.second->end = std::max(group_.second->end, times.end);
}

void RowMaker::AddHostRange(const Event& event) {
  const NameFacts& facts = FactsOf(*event.name);
  const bool op = facts.kind == HostKind::kOp;
  HostRangesTable& t = part_.tables.host;
  t.start.push_back(event.start);
  t.duration.push_back(event.duration);
  t.name.push_back(op ? facts.op_name : facts.name);
  t.thread.push_back(thread_);
  t.kind.push_back(facts.kind);
  const StringId args = Args(event, IsArgumentOfHost);
  if (args == StringId::kEmpty && !op) {
    t.extra.push_back(kNone<HostExtraId>);
    return;
  }
  HostExtrasTable& x = part_.tables.host_extras;
  x.module_hierarchy.push_back(facts.op_path);
  x.args.push_back(args);
  x.op_type.push_back(facts.op_type);
  t.extra.push_back(MakeId<HostExtraId>(x.args.size() - 1));
}

void RowMaker::AddMemory(const Event& event, bool frees) {
  constexpr int64_t kLargest = int64_t{1} << 53;
  int64_t bytes = kMissing, in_use = kMissing, address = kMissing;
  std::string_view allocator;
  for (const RawStat& raw : event.stats) {
    const Stat stat = plane_.ReadStat(raw.message);
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
  t.thread.push_back(thread_);
  t.device_type.push_back(on_host ? 0 : 1);
  t.device.push_back(xla::NumberBehind(allocator, "GPU_").value_or(on_host ? -1 : 0));
  t.address.push_back(address);
  t.bytes.push_back(frees && bytes != kMissing ? -bytes : bytes);
  t.total_allocated.push_back(in_use);
}

void RowMaker::AddApi(const Event& event) {
  const ApiFunction function = FunctionOf(event);
  ApiCallsTable& t = part_.tables.api;
  t.start.push_back(event.start);
  t.duration.push_back(event.duration);
  t.name.push_back(function.name);
  t.thread.push_back(thread_);
  t.kind.push_back(function.kind);
  t.correlation.push_back(event.correlation);
  t.args.push_back(Args(event, IsArgumentOfApi, function.is_record_name ? "" : "record"));
}

void RowMaker::AddGpu(const Event& event) {
  const std::string_view name = event.name->name;
  const GpuKind kind = xla::GpuKindOf(name, !event.kernel_details.empty());
  const bool copy = kind == GpuKind::kCopy;
  const CopyDirection direction = copy ? CopyDirectionOf(name) : CopyDirection::kNotACopy;
  GpuActivitiesTable& t = part_.tables.gpu;
  t.start.push_back(event.start);
  t.duration.push_back(event.duration);
  t.name.push_back(FactsOf(*event.name).name);
  t.stream.push_back(StreamOf(stream_));
  t.kind.push_back(kind);
  t.copy_direction.push_back(direction);
  t.host_memory.push_back(copy ? xla::HostMemoryOf(event.copy_details, direction)
                               : HostMemory::kNone);
  t.correlation.push_back(event.correlation);
  t.bytes.push_back(xla::CopiedBytes(event.copy_details));
  t.launch_config.push_back(event.kernel_details.empty() ? kNone<LaunchConfigId>
                                                         : Launch(event.kernel_details));
  AddGpuExtra(event);
}

void RowMaker::AddGpuExtra(const Event& event) {
  const GpuOp op = OpOf(event);
  GpuExtrasTable& x = part_.tables.gpu_extras;
  x.graph.push_back(event.graph);
  x.graph_node.push_back(event.graph_node);
  x.args.push_back(GpuArgs(event, op.cost));
  x.op_name.push_back(op.name);
  x.op_type.push_back(op.type);
  x.op_path.push_back(op.path);
  part_.tables.gpu.extra.push_back(MakeId<GpuExtraId>(x.args.size() - 1));
}

RowMaker::GpuOp RowMaker::OpOf(const Event& event) {
  const std::string& key = KeyOf(event, DescribesOp);
  if (const auto at = ops_.find(key); at != ops_.end()) return at->second;
  xla::OpStats stats{event.hlo_op, event.hlo_module, event.scope, event.tf_op};
  HloCost cost;
  if (!event.hlo_op.empty()) {
    if (const auto* found = programs_.Find(event.program, event.hlo_op, event.name->name)) {
      stats.hlo_op = found->name;
      if (stats.scope.empty()) stats.scope = found->scope;
      cost = programs_.CostOf(event.program, *found);
    }
  }
  const xla::OpName op = xla::NamedOp(stats);
  const GpuOp made{Text(op.name), Text(op.type), Text(op.path), cost};
  ops_.emplace(key, made);
  return made;
}

void RowMaker::AddGpuAnnotation(const Event& event) {
  GpuAnnotationsTable& t = part_.tables.gpu_annotations;
  t.start.push_back(event.start);
  t.duration.push_back(event.duration);
  t.name.push_back(FactsOf(*event.name).name);
  t.stream.push_back(StreamOf(kMissing));
}

void RowMaker::AddStep(const Event& event) {
  AddGpuAnnotation(event);
  if (event.group == kMissing) return;
  rows_.derived_steps.push_back({event.group, {event.start, event.start + event.duration}});
}

StringId RowMaker::Text(std::string_view text) { return part_.Intern(ValidUtf8(text, buffer_)); }

const RowMaker::NameFacts& RowMaker::FactsOf(const EventName& name) {
  auto [it, added] = names_.try_emplace(&name);
  NameFacts& facts = it->second;
  if (!added) return facts;
  facts.name = Text(name.name);
  facts.api_function = xla::IsApiFunction(name.name);
  facts.allocates = name.name == "MemoryAllocation";
  facts.frees = name.name == "MemoryDeallocation";
  // The writer stores the type of an op as display name. Other names only look like those of ops.
  const auto op = xla::ParseTensorFlowOp(name.name);
  if (op && op->type == name.display_name) {
    facts.kind = HostKind::kOp;
    facts.op_name = Text(op->name);
    facts.op_type = Text(op->type);
    facts.op_path = Text(op->path);
  } else if (name.name.starts_with('$')) {
    facts.kind = HostKind::kPythonFunction;
  }
  return facts;
}

RowMaker::ApiFunction RowMaker::FunctionOf(const Event& event) {
  const auto make = [&] {
    const std::string_view function = xla::ApiFunctionOf(event.name->name, event.copy_details);
    return ApiFunction{Text(function), xla::ApiKindOf(function), function == event.name->name};
  };
  if (!event.copy_details.empty()) return make();
  auto [it, added] = functions_.try_emplace(event.name);
  if (added) it->second = make();
  return it->second;
}

const std::string& RowMaker::KeyOf(const Event& event, StatFilter wanted) {
  const auto append = [&](const auto& value) {
    key_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  key_.clear();
  append(reinterpret_cast<uintptr_t>(event.name));
  append(reinterpret_cast<uintptr_t>(wanted));
  for (const RawStat& stat : event.stats) {
    if (!wanted(stat.kind)) continue;
    append(stat.message.size());
    key_ += stat.message;
  }
  return key_;
}

StringId RowMaker::Args(const Event& event, StatFilter is_argument, std::string_view name_key) {
  const std::string& key = KeyOf(event, is_argument);
  if (const auto at = args_.find(key); at != args_.end()) return at->second;
  return MakeArgs(event, is_argument, name_key, {});
}

// Several programs may have instructions of the same name, so the cost is part of the key.
StringId RowMaker::GpuArgs(const Event& event, const HloCost& cost) {
  KeyOf(event, IsArgumentOfGpu);
  key_.append(reinterpret_cast<const char*>(&cost.flops), sizeof(cost.flops));
  key_.append(reinterpret_cast<const char*>(&cost.bytes), sizeof(cost.bytes));
  if (const auto at = args_.find(key_); at != args_.end()) return at->second;
  return MakeArgs(event, IsArgumentOfGpu, "", cost);
}

StringId RowMaker::MakeArgs(const Event& event, StatFilter is_argument, std::string_view name_key,
                            const HloCost& cost) {
  json_.Clear();
  if (!name_key.empty()) json_.AddText(name_key, event.name->name);
  for (const auto* stats : {&event.stats, &event.name->stats}) {
    for (const RawStat& stat : *stats) {
      if (is_argument(stat.kind)) json_.Add(plane_.ReadStat(stat.message));
    }
  }
  if (cost.flops >= 0) json_.AddNumber("flops", cost.flops);
  if (cost.bytes >= 0) json_.AddNumber("bytes_accessed", cost.bytes);
  if (cost.matrix_flops > 0) {
    json_.AddNumber("matrix_flops", cost.matrix_flops);
    if (!cost.matrix_type.empty()) json_.AddText("matrix_type", cost.matrix_type);
  }
  const StringId args = part_.Intern(json_.Finish());
  args_.emplace(key_, args);
  return args;
}

LaunchConfigId RowMaker::Launch(std::string_view details) {
  auto [it, added] = launches_.try_emplace(details, kNone<LaunchConfigId>);
  if (added) it->second = part_.Launch(xla::ReadKernelDetails(details));
  return it->second;
}

StreamId RowMaker::StreamOf(int64_t stream) { return part_.Stream(kind_.device, kMissing, stream); }

}  // namespace warpsight::importers::xplane
