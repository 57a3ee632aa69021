#include "exporters/chrome/event_writer.h"

#include "model/copy_name.h"
#include "model/host_name.h"

namespace warpsight::exporters::chrome {
namespace {

using Original = ArgsWriter::Original;

std::string_view CategoryOf(HostKind kind) {
  switch (kind) {
    case HostKind::kOp:
      return "cpu_op";
    case HostKind::kAnnotation:
      return "user_annotation";
    case HostKind::kPythonFunction:
    case HostKind::kModule:
      return "python_function";
    case HostKind::kOverhead:
      return "overhead";
    case HostKind::kSpan:
      return "Trace";
    case HostKind::kSystemCall:
      return "system_call";
    case HostKind::kOther:
      break;
  }
  return "other";
}

std::string_view CategoryOf(GpuKind kind) {
  switch (kind) {
    case GpuKind::kKernel:
      return "kernel";
    case GpuKind::kCopy:
      return "gpu_memcpy";
    case GpuKind::kMemset:
      break;
  }
  return "gpu_memset";
}

std::string_view PhaseOf(FlowPhase phase) {
  switch (phase) {
    case FlowPhase::kStart:
      return "s";
    case FlowPhase::kStep:
      return "t";
    case FlowPhase::kEnd:
      break;
  }
  return "f";
}

// The kind that the importer derives from the category and the name.
HostKind KindReadBack(HostKind kind, std::string_view name) {
  switch (kind) {
    case HostKind::kOp:
      return OpOrAnnotation(name);
    case HostKind::kPythonFunction:
    case HostKind::kModule:
      return FunctionOrModule(name);
    default:
      return kind;
  }
}

Original StateOf(std::string_view original) {
  return original.empty() ? Original::kNone : Original::kGiven;
}

}  // namespace

void EventWriter::Begin(std::string_view phase, std::string_view category, StringId name) {
  args_.Clear();
  json_.Raw(",\n{\"ph\":\"");
  json_.Raw(phase);
  json_.Raw("\",\"cat\":");
  json_.Quoted(category);
  json_.Raw(",\"name\":");
  json_.Quoted(Text(name));
}

void EventWriter::Lane(ThreadId thread) {
  const ThreadsTable& threads = trace_.tables.threads;
  const ProcessId process = threads.process[Index(thread)];
  json_.Raw(",\"pid\":");
  json_.NumberOrText(Text(trace_.tables.processes.pid[Index(process)]));
  json_.Raw(",\"tid\":");
  json_.NumberOrText(Text(threads.tid[Index(thread)]));
}

// GPU lanes as in Kineto: the GPU's number is the process, the stream the thread.
void EventWriter::Lane(StreamId stream) {
  const int64_t number = trace_.tables.streams.stream[Index(stream)];
  json_.Raw(",\"pid\":");
  json_.Integer(trace_.tables.devices.ordinal[Index(trace_.DeviceOf(stream))]);
  json_.Raw(",\"tid\":");
  json_.Integer(number == kMissing ? 0 : number);
}

void EventWriter::Time(TimeNs time) {
  json_.Raw(",\"ts\":");
  json_.Microseconds(time + clock_);
}

void EventWriter::Span(TimeNs start, DurationNs duration) {
  Time(start);
  json_.Raw(",\"dur\":");
  json_.Microseconds(duration);
}

void EventWriter::End() { json_.Raw("}"); }

void EventWriter::Slice(SliceRow slice) {
  switch (slice.table) {
    case SliceTable::kHost:
      return Host(slice.row);
    case SliceTable::kApi:
      return Api(slice.row);
    case SliceTable::kGpu:
      return Gpu(slice.row);
    case SliceTable::kGpuAnnotation:
      return GpuAnnotation(slice.row);
    case SliceTable::kSync:
      return Sync(slice.row);
  }
}

void EventWriter::Collective(CollectiveId collective) {
  if (!IsSet(collective)) return;
  const CollectivesTable& t = trace_.tables.collectives;
  const size_t row = Index(collective);
  args_.Text("Collective name", Text(t.name[row]));
  args_.Text("dtype", Text(t.dtype[row]));
  args_.Integer("In msg nelems", t.elements_in[row]);
  args_.Integer("Out msg nelems", t.elements_out[row]);
  args_.Integer("Group size", t.group_size[row]);
  args_.Text("Process Group Name", Text(t.group_name[row]));
  args_.Text("Process Group Description", Text(t.group_description[row]));
  args_.Text("Process Group Ranks", Text(t.group_ranks[row]));
}

Original EventWriter::HostExtra(HostExtraId extra, std::string_view& original) {
  if (!IsSet(extra)) return Original::kNone;
  const HostExtrasTable& t = trace_.tables.host_extras;
  const size_t row = Index(extra);
  const std::string_view stack = Text(t.call_stack[row]);
  const std::string_view modules = Text(t.module_hierarchy[row]);
  args_.Text("Call stack", stack);
  args_.Text("Module Hierarchy", modules);
  args_.Integer("Python id", t.python_id[row]);
  args_.Integer("Python parent id", t.python_parent[row]);
  args_.Integer("Python module id", t.python_module[row]);
  Collective(t.collective[row]);
  args_.Text("warpsight:op type", Text(t.op_type[row]));
  original = Text(t.args[row]);
  const bool plain = !stack.empty() || !modules.empty() || t.python_id[row] != kMissing ||
                     IsSet(t.collective[row]) || t.op_type[row] != StringId::kEmpty;
  if (!original.empty()) return Original::kGiven;
  return plain ? Original::kNone : Original::kEmpty;
}

void EventWriter::Host(size_t row) {
  const HostRangesTable& t = trace_.tables.host;
  Begin("X", CategoryOf(t.kind[row]), t.name[row]);
  Lane(t.thread[row]);
  Span(t.start[row], t.duration[row]);
  if (t.kind[row] != KindReadBack(t.kind[row], Text(t.name[row]))) {
    args_.Integer("warpsight:kind", static_cast<int64_t>(t.kind[row]));
  }
  args_.Integer("External id", t.external_id[row]);
  args_.Integer("Sequence number", t.sequence[row]);
  args_.Integer("Fwd thread id", t.forward_thread[row]);
  if (IsSet(t.signature[row])) {
    const SignaturesTable& s = trace_.tables.signatures;
    const size_t signature = Index(t.signature[row]);
    args_.Json("Concrete Inputs", Text(s.values[signature]));
    args_.Json("Input type", Text(s.types[signature]));
    args_.Json("Input Strides", Text(s.strides[signature]));
    args_.Json("Input Dims", Text(s.dims[signature]));
  }
  std::string_view original;
  const Original state = HostExtra(t.extra[row], original);
  args_.Append(state, original, json_.out());
  End();
}

void EventWriter::Api(size_t row) {
  const ApiCallsTable& t = trace_.tables.api;
  Begin("X", t.kind[row] == ApiKind::kRuntime ? "cuda_runtime" : "cuda_driver", t.name[row]);
  Lane(t.thread[row]);
  Span(t.start[row], t.duration[row]);
  args_.Integer("External id", t.external_id[row]);
  args_.Integer("correlation", t.correlation[row]);
  args_.Append(StateOf(Text(t.args[row])), Text(t.args[row]), json_.out());
  End();
}

void EventWriter::Stream(StreamId stream) {
  const StreamsTable& t = trace_.tables.streams;
  const size_t row = Index(stream);
  args_.Integer("device", trace_.tables.devices.ordinal[Index(t.device[row])]);
  args_.Integer("context", t.context[row]);
  if (t.stream[row] == kMissing) {
    args_.Json("stream", "null");
  } else {
    args_.Integer("stream", t.stream[row]);
  }
  if (IsSet(t.process[row])) {
    args_.Text("warpsight:process", Text(trace_.tables.processes.pid[Index(t.process[row])]));
  }
}

// "[8,1,1]". A missing number becomes null. If all are missing, writes an empty list if `needed`,
// otherwise nothing.
void EventWriter::Triple(std::string_view key, int64_t x, int64_t y, int64_t z, bool needed) {
  const bool absent = x == kMissing && y == kMissing && z == kMissing;
  if (absent && !needed) return;
  triple_.clear();
  JsonText text(triple_);
  text.Raw("[");
  if (!absent) {
    for (const int64_t value : {x, y, z}) {
      if (triple_.size() > 1) text.Raw(",");
      value == kMissing ? text.Raw("null") : text.Integer(value);
    }
  }
  text.Raw("]");
  args_.Json(key, triple_);
}

void EventWriter::Launch(LaunchConfigId launch) {
  if (!IsSet(launch)) return;
  const LaunchConfigsTable& t = trace_.tables.launch_configs;
  const size_t row = Index(launch);
  args_.Integer("registers per thread", t.registers[row]);
  args_.Integer("shared memory", t.shared_bytes[row]);
  args_.Real("blocks per SM", t.blocks_per_sm[row]);
  args_.Real("warps per SM", t.warps_per_sm[row]);
  const bool has_block =
      t.block_x[row] != kMissing || t.block_y[row] != kMissing || t.block_z[row] != kMissing;
  Triple("grid", t.grid_x[row], t.grid_y[row], t.grid_z[row], !has_block);
  Triple("block", t.block_x[row], t.block_y[row], t.block_z[row], false);
  args_.Real("est. achieved occupancy %", t.occupancy_percent[row]);
}

void EventWriter::Gpu(size_t row) {
  const GpuActivitiesTable& t = trace_.tables.gpu;
  Begin("X", CategoryOf(t.kind[row]), t.name[row]);
  Lane(t.stream[row]);
  Span(t.start[row], t.duration[row]);
  args_.Integer("External id", t.external_id[row]);
  Stream(t.stream[row]);
  args_.Integer("correlation", t.correlation[row]);
  args_.Integer("bytes", t.bytes[row]);
  Launch(t.launch_config[row]);
  const bool copy = t.kind[row] == GpuKind::kCopy;
  const std::string_view name = Text(t.name[row]);
  if (t.copy_direction[row] != (copy ? CopyDirectionOf(name) : CopyDirection::kNotACopy)) {
    args_.Integer("warpsight:copy direction", static_cast<int64_t>(t.copy_direction[row]));
  }
  if (t.host_memory[row] != (copy ? HostMemoryOf(name) : HostMemory::kNone)) {
    args_.Integer("warpsight:host memory", static_cast<int64_t>(t.host_memory[row]));
  }
  Original state = Original::kNone;
  std::string_view original;
  if (IsSet(t.extra[row])) {
    const GpuExtrasTable& x = trace_.tables.gpu_extras;
    const size_t extra = Index(t.extra[row]);
    args_.Integer("graph id", x.graph[extra]);
    args_.Integer("graph node id", x.graph_node[extra]);
    Collective(x.collective[extra]);
    args_.Text("warpsight:op", Text(x.op_name[extra]));
    args_.Text("warpsight:op type", Text(x.op_type[extra]));
    args_.Text("warpsight:op path", Text(x.op_path[extra]));
    args_.Real("memory bandwidth (GB/s)", x.bandwidth[extra]);
    original = Text(x.args[extra]);
    const bool plain = x.graph[extra] != kMissing || x.graph_node[extra] != kMissing ||
                       IsSet(x.collective[extra]) || x.op_name[extra] != StringId::kEmpty ||
                       x.bandwidth[extra] != kMissingReal;
    state = plain ? StateOf(original) : original.empty() ? Original::kEmpty : Original::kGiven;
  }
  args_.Append(state, original, json_.out());
  End();
}

void EventWriter::GpuAnnotation(size_t row) {
  const GpuAnnotationsTable& t = trace_.tables.gpu_annotations;
  Begin("X", "gpu_user_annotation", t.name[row]);
  Lane(t.stream[row]);
  Span(t.start[row], t.duration[row]);
  args_.Integer("External id", t.external_id[row]);
  Stream(t.stream[row]);
  args_.Append(Original::kNone, {}, json_.out());
  End();
}

void EventWriter::Sync(size_t row) {
  const SyncsTable& t = trace_.tables.syncs;
  Begin("X", "cuda_sync", t.name[row]);
  Lane(t.stream[row]);
  Span(t.start[row], t.duration[row]);
  Stream(t.stream[row]);
  args_.Integer("correlation", t.correlation[row]);
  args_.Integer("wait_on_stream", t.wait_stream[row]);
  args_.Integer("wait_on_cuda_event_record_corr_id", t.wait_record_correlation[row]);
  args_.Integer("wait_on_cuda_event_id", t.wait_event[row]);
  args_.Append(Original::kNone, {}, json_.out());
  End();
}

void EventWriter::Memory(size_t row) {
  const MemoryEventsTable& t = trace_.tables.memory;
  args_.Clear();
  json_.Raw(",\n{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"s\":\"t\",\"name\":\"[memory]\"");
  Lane(t.thread[row]);
  Time(t.time[row]);
  args_.Integer("Total Reserved", t.total_reserved[row]);
  args_.Integer("Total Allocated", t.total_allocated[row]);
  args_.Integer("Bytes", t.bytes[row]);
  args_.Integer("Addr", t.address[row]);
  args_.Integer("Device Id", t.device[row]);
  args_.Integer("Device Type", t.device_type[row]);
  args_.Append(Original::kNone, {}, json_.out());
  End();
}

void EventWriter::Flow(size_t row) {
  const FlowsTable& t = trace_.tables.flows;
  const std::string_view category = Text(t.category[row]);
  Begin(PhaseOf(t.phase[row]), category, t.category[row]);
  json_.Raw(",\"id\":");
  json_.Integer(t.flow[row]);
  Lane(t.thread[row]);
  Time(t.time[row]);
  if (t.phase[row] == FlowPhase::kEnd) json_.Raw(",\"bp\":\"e\"");
  End();
}

// Written as metadata, which viewers ignore: they show the converted ranges.
void EventWriter::Nvtx(size_t row) {
  const NvtxRangesTable& t = trace_.tables.nvtx;
  args_.Clear();
  json_.Raw(",\n{\"ph\":\"M\",\"name\":\"warpsight_nvtx\"");
  Lane(t.thread[row]);
  Span(t.start[row], t.duration[row]);
  args_.Text("name", Text(t.text[row]));
  args_.Text("warpsight:domain", Text(t.domain[row]));
  if (t.style[row] != NvtxStyle::kPushPop) {
    args_.Integer("warpsight:kind", static_cast<int64_t>(t.style[row]));
  }
  args_.Append(Original::kNone, {}, json_.out());
  End();
}

void EventWriter::Instant(size_t row) {
  const InstantsTable& t = trace_.tables.instants;
  const std::string_view category = Text(t.category[row]);
  const bool counter = category == "counter";
  Begin(counter ? "C" : "i", category, t.name[row]);
  if (!counter) json_.Raw(",\"s\":\"t\"");
  Lane(t.thread[row]);
  Time(t.time[row]);
  if (t.args[row] != StringId::kEmpty) {
    json_.Raw(",\"args\":");
    json_.Raw(Text(t.args[row]));
  }
  End();
}

}  // namespace warpsight::exporters::chrome
