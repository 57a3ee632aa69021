#include "importers/chrome/row_maker.h"

#include <algorithm>

#include "importers/api/bounds.h"
#include "importers/chrome/categories.h"
#include "importers/chrome/json_text.h"
#include "importers/chrome/number.h"
#include "model/copy_name.h"
#include "model/host_name.h"

namespace warpsight::importers::chrome {
namespace {

// The numbers in "[8, 1, 1]".
std::array<int64_t, 3> ParseTriple(std::string_view json) {
  std::array<int64_t, 3> values{kMissing, kMissing, kMissing};
  size_t pos = json.find('[') + 1;  // npos + 1 is 0
  for (int64_t& value : values) {
    const size_t end = std::min(json.find_first_of(",]", pos), json.size());
    if (const auto number = ParseInteger(json.substr(pos, end - pos))) value = *number;
    if (end >= json.size()) break;
    pos = end + 1;
  }
  return values;
}

// The kind with the given number, up to `last`; otherwise `other`.
template <typename Kind>
Kind Given(int64_t number, Kind last, Kind otherwise) {
  return number >= 0 && number <= static_cast<int64_t>(last) ? static_cast<Kind>(number)
                                                             : otherwise;
}

}  // namespace

StringId RowMaker::Text(std::string_view escaped) {
  return part_.Intern(Unescape(escaped, buffer_));
}

ThreadId RowMaker::Lane(const RawEvent& event) {
  for (const LaneEntry& lane : lanes_) {
    if (lane.pid == event.pid && lane.tid == event.tid && lane.pid.data() != nullptr) {
      return lane.thread;
    }
  }
  const ThreadId thread =
      part_.Thread(Unescape(event.pid, buffer_), Unescape(event.tid, second_buffer_));
  if (event.pid.data() != nullptr) {
    lanes_[next_lane_] = {event.pid, event.tid, thread};
    next_lane_ = (next_lane_ + 1) % lanes_.size();
  }
  return thread;
}

// If a record has neither a device nor a stream, its lane determines both: the process is the GPU,
// the thread the stream. ONNX Runtime writes only the stream, since it uses one GPU.
StreamId RowMaker::StreamOf(const RawEvent& event) {
  const auto lane_number = [](std::string_view text) { return ParseInteger(text).value_or(0); };
  const int64_t device = event.args.device != kMissing   ? event.args.device
                         : event.args.stream != kMissing ? 0
                                                         : lane_number(event.pid);
  int64_t stream = event.args.stream != kMissing ? event.args.stream : lane_number(event.tid);
  if (stream == kNoStream) stream = kMissing;
  if (!event.args.process.empty()) {
    const ProcessId process = part_.Process(Unescape(event.args.process, buffer_));
    return part_.Stream(device, event.args.context, stream, process);
  }
  const std::array<int64_t, 3> key{device, event.args.context, stream};
  if (key != last_stream_key_ || !IsSet(last_stream_)) {
    last_stream_ = part_.Stream(device, event.args.context, stream);
    last_stream_key_ = key;
  }
  return last_stream_;
}

int64_t RowMaker::OffsetOf(const RawEvent& event) const {
  return event.begin == nullptr ? offset_ : offset_ + (event.begin - text_.data());
}

void RowMaker::Log(std::string_view code, const RawEvent& event, std::string_view message) {
  part_.Log(code, OffsetOf(event), message);
}

StringId RowMaker::FullArgs(const RawEvent& event) {
  if (!event.args.all.empty() || event.args.tail.empty()) return part_.Intern(event.args.all);
  const size_t end = FindValueEnd(event.args.tail, 0);
  if (end >= kBrokenString || !event.args.tail.starts_with('{')) return StringId::kEmpty;
  const std::string_view all = event.args.tail.substr(0, end);
  return SkipSpace(all, 1) + 1 == all.size() ? StringId::kEmpty : part_.Intern(all);
}

int64_t RowMaker::Within(int64_t low, int64_t value, int64_t high, const RawEvent& event) {
  return warpsight::Within(low, value, high, part_, OffsetOf(event));
}

std::array<int64_t, 3> RowMaker::Triple(std::string_view json, const RawEvent& event) {
  std::array<int64_t, 3> values = ParseTriple(json);
  for (int64_t& value : values) value = Within(0, value, kLargestLaunch, event);
  return values;
}

void RowMaker::Add(const RawEvent& event) {
  ++rows_.events;
  if (event.wrong_types > 0) {
    Log("wrong_type", event, "the value of a field has an unexpected type; the field was left out");
  }
  const bool empty = event.phase == 0 && event.name.empty() && event.time.empty() &&
                     event.pid.empty() && !event.has_args && event.wrong_types == 0;
  if (empty) return;  // JAX ends its list with {}, to avoid a trailing comma
  if (event.phase == 0) {
    Log("no_phase", event, "the record has no 'ph' with one letter");
    return;
  }
  ++rows_.phased;
  if (event.phase == 'M') {
    AddMetadata(event);
    return;
  }
  const auto time = ParseMicroseconds(event.time);
  if (!time) {
    Log("bad_time", event, "'ts' is missing or not a time");
    return;
  }
  switch (event.phase) {
    case 'X':
      AddSlice(event, *time);
      break;
    case 's':
    case 't':
    case 'f':
      AddFlow(event, *time);
      break;
    case 'B':
    case 'E':
    case 'b':
    case 'e':
      AddOpenClose(event, *time);
      break;
    default:
      AddInstant(event, *time);
      break;
  }
}

void RowMaker::AddSlice(const RawEvent& event, TimeNs time) {
  DurationNs duration = 0;
  if (!event.duration.empty()) {
    const auto parsed = ParseMicroseconds(event.duration);
    if (!parsed || *parsed > kLongestSlice) {
      Log("bad_duration", event, "'dur' is not a duration");
      return;
    }
    duration = *parsed;
  }
  if (duration < 0) {
    Log("negative_duration", event, "'dur' is negative; it was set to 0");
    duration = 0;
  }
  if (event.category == "Node" || event.category == "Op") rows_.node_ops = true;
  switch (SliceKindOf(event.category)) {
    case SliceKind::kOp:
      AddHost(event, time, duration, OpOrAnnotation(event.name));
      break;
    case SliceKind::kAnnotation:
      AddHost(event, time, duration, HostKind::kAnnotation);
      break;
    case SliceKind::kPythonFunction:
      AddHost(event, time, duration, FunctionOrModule(event.name));
      break;
    case SliceKind::kOverhead:
      AddHost(event, time, duration, HostKind::kOverhead);
      break;
    case SliceKind::kSpan:
      AddHost(event, time, duration, HostKind::kSpan);
      break;
    case SliceKind::kSystemCall:
      AddHost(event, time, duration, HostKind::kSystemCall);
      break;
    case SliceKind::kOther:
      AddHost(event, time, duration, HostKind::kOther);
      break;
    case SliceKind::kRuntime:
      AddApi(event, time, duration, ApiKind::kRuntime);
      break;
    case SliceKind::kDriver:
      AddApi(event, time, duration, ApiKind::kDriver);
      break;
    case SliceKind::kKernel:
      AddGpu(event, time, duration, RuntimeWorkKind(event.name).value_or(GpuKind::kKernel));
      break;
    case SliceKind::kCopy:
      AddGpu(event, time, duration, GpuKind::kCopy);
      break;
    case SliceKind::kMemset:
      AddGpu(event, time, duration, GpuKind::kMemset);
      break;
    case SliceKind::kGpuAnnotation:
      AddGpuAnnotation(event, time, duration);
      break;
    case SliceKind::kSync:
      AddSync(event, time, duration);
      break;
  }
}

CollectiveId RowMaker::AddCollective(const RawEvent& event) {
  if (event.args.collective.empty()) return kNone<CollectiveId>;
  CollectivesTable& t = part_.tables.collectives;
  t.name.push_back(Text(event.args.collective));
  t.dtype.push_back(Text(event.args.collective_dtype));
  t.group_name.push_back(Text(event.args.group_name));
  t.group_description.push_back(Text(event.args.group_description));
  std::string_view ranks = event.args.group_ranks;
  if (ranks.starts_with('"') && ranks.size() > 1) ranks = ranks.substr(1, ranks.size() - 2);
  t.group_ranks.push_back(Text(ranks));
  t.elements_in.push_back(Within(0, event.args.elements_in, kLargestCount, event));
  t.elements_out.push_back(Within(0, event.args.elements_out, kLargestCount, event));
  t.group_size.push_back(Within(0, event.args.group_size, kLargestLaunch, event));
  return MakeId<CollectiveId>(t.name.size() - 1);
}

HostExtraId RowMaker::AddHostExtra(const RawEvent& event) {
  const bool any = !event.args.call_stack.empty() || !event.args.module_hierarchy.empty() ||
                   event.args.has_other_args || event.args.python_id != kMissing ||
                   !event.args.collective.empty() || !event.args.op_type.empty();
  if (!any) return kNone<HostExtraId>;
  HostExtrasTable& t = part_.tables.host_extras;
  t.call_stack.push_back(Text(event.args.call_stack));
  t.module_hierarchy.push_back(Text(event.args.module_hierarchy));
  t.args.push_back(part_.Intern(event.args.all));
  t.python_id.push_back(event.args.python_id);
  t.python_parent.push_back(event.args.python_parent);
  t.python_module.push_back(event.args.python_module);
  t.collective.push_back(AddCollective(event));
  t.op_type.push_back(Text(event.args.op_type));
  return MakeId<HostExtraId>(t.args.size() - 1);
}

void RowMaker::AddHost(const RawEvent& event, TimeNs time, DurationNs duration, HostKind kind) {
  HostRangesTable& t = part_.tables.host;
  t.start.push_back(time);
  t.duration.push_back(duration);
  t.name.push_back(Text(event.name));
  t.thread.push_back(Lane(event));
  t.kind.push_back(Given(event.args.host_kind, HostKind::kSystemCall, kind));
  t.external_id.push_back(event.args.external_id);
  t.sequence.push_back(event.args.sequence);
  t.forward_thread.push_back(event.args.forward_thread);
  const bool has_inputs =
      !event.args.dims.empty() || !event.args.types.empty() || !event.args.values.empty();
  t.signature.push_back(
      has_inputs
          ? part_.Signature(part_.Intern(event.args.dims), part_.Intern(event.args.types),
                            part_.Intern(event.args.strides), part_.Intern(event.args.values))
          : kNone<SignatureId>);
  t.extra.push_back(AddHostExtra(event));
}

void RowMaker::AddApi(const RawEvent& event, TimeNs time, DurationNs duration, ApiKind kind) {
  ApiCallsTable& t = part_.tables.api;
  t.start.push_back(time);
  t.duration.push_back(duration);
  t.name.push_back(Text(event.name));
  t.thread.push_back(Lane(event));
  t.kind.push_back(kind);
  t.correlation.push_back(event.args.correlation);
  t.external_id.push_back(event.args.external_id);
  t.args.push_back(part_.Intern(event.args.all));
}

void RowMaker::AddGpu(const RawEvent& event, TimeNs time, DurationNs duration, GpuKind kind) {
  GpuActivitiesTable& t = part_.tables.gpu;
  t.start.push_back(time);
  t.duration.push_back(duration);
  t.name.push_back(Text(event.name));
  t.stream.push_back(StreamOf(event));
  t.kind.push_back(kind);
  const bool copy = kind == GpuKind::kCopy;
  t.copy_direction.push_back(Given(event.args.copy_direction, CopyDirection::kUnknown,
                                   copy ? CopyDirectionOf(event.name) : CopyDirection::kNotACopy));
  t.host_memory.push_back(Given(event.args.host_memory, HostMemory::kUnknown,
                                copy ? HostMemoryOf(event.name) : HostMemory::kNone));
  t.correlation.push_back(event.args.correlation);
  t.external_id.push_back(event.args.external_id);
  t.bytes.push_back(Within(0, event.args.bytes, kLargestCount, event));
  if (event.args.grid.empty() && event.args.block.empty()) {
    t.launch_config.push_back(kNone<LaunchConfigId>);
  } else {
    t.launch_config.push_back(part_.Launch(
        {Triple(event.args.grid, event), Triple(event.args.block, event),
         Within(0, event.args.registers, kLargestLaunch, event),
         Within(0, event.args.shared_bytes, kLargestLaunch, event), event.args.blocks_per_sm,
         event.args.warps_per_sm, event.args.occupancy_percent}));
  }
  // With a more precise duration, the bandwidth follows from it.
  constexpr DurationNs kMicrosecond = 1000;
  const double bandwidth = kind != GpuKind::kKernel && duration % kMicrosecond == 0
                               ? event.args.bandwidth
                               : kMissingReal;
  const bool extra = bandwidth > 0 || event.args.graph != kMissing ||
                     event.args.graph_node != kMissing || event.args.has_other_args ||
                     !event.args.collective.empty() || !event.args.op_name.empty();
  if (extra) {
    GpuExtrasTable& x = part_.tables.gpu_extras;
    x.graph.push_back(event.args.graph);
    x.graph_node.push_back(event.args.graph_node);
    x.args.push_back(part_.Intern(event.args.all));
    x.collective.push_back(AddCollective(event));
    x.op_name.push_back(Text(event.args.op_name));
    x.op_type.push_back(Text(event.args.op_type));
    x.op_path.push_back(Text(event.args.op_path));
    x.bandwidth.push_back(bandwidth > 0 ? bandwidth : kMissingReal);
    t.extra.push_back(MakeId<GpuExtraId>(x.args.size() - 1));
  } else {
    t.extra.push_back(kNone<GpuExtraId>);
  }
}

void RowMaker::AddGpuAnnotation(const RawEvent& event, TimeNs time, DurationNs duration) {
  GpuAnnotationsTable& t = part_.tables.gpu_annotations;
  t.start.push_back(time);
  t.duration.push_back(duration);
  t.name.push_back(Text(event.name));
  t.stream.push_back(StreamOf(event));
  t.external_id.push_back(event.args.external_id);
}

void RowMaker::AddSync(const RawEvent& event, TimeNs time, DurationNs duration) {
  SyncsTable& t = part_.tables.syncs;
  t.start.push_back(time);
  t.duration.push_back(duration);
  t.name.push_back(Text(event.name));
  t.stream.push_back(StreamOf(event));
  t.correlation.push_back(event.args.correlation);
  t.wait_stream.push_back(event.args.wait_stream);
  t.wait_event.push_back(event.args.wait_event);
  t.wait_record_correlation.push_back(event.args.wait_record_correlation);
}

void RowMaker::AddInstant(const RawEvent& event, TimeNs time) {
  if (event.name == "[memory]") {
    MemoryEventsTable& t = part_.tables.memory;
    t.time.push_back(time);
    t.thread.push_back(Lane(event));
    t.device_type.push_back(event.args.device_type);
    t.device.push_back(event.args.device_id);
    t.address.push_back(event.args.address);
    t.bytes.push_back(Within(-kLargestCount, event.args.bytes, kLargestCount, event));
    t.total_allocated.push_back(
        Within(-kLargestCount, event.args.total_allocated, kLargestCount, event));
    t.total_reserved.push_back(
        Within(-kLargestCount, event.args.total_reserved, kLargestCount, event));
    return;
  }
  InstantsTable& t = part_.tables.instants;
  t.time.push_back(time);
  t.name.push_back(Text(event.name));
  t.category.push_back(event.phase == 'C' ? part_.Intern("counter") : Text(event.category));
  t.thread.push_back(Lane(event));
  t.args.push_back(FullArgs(event));
}

void RowMaker::AddFlow(const RawEvent& event, TimeNs time) {
  const auto id = ParseId(event.id);
  if (!id) {
    Log("bad_flow", event, "a flow event without a numeric id");
    return;
  }
  FlowsTable& t = part_.tables.flows;
  t.time.push_back(time);
  t.flow.push_back(*id);
  if (event.category != last_flow_category_ || event.category.data() == nullptr) {
    last_flow_category_ = event.category;
    last_flow_category_id_ = Text(event.category);
  }
  t.category.push_back(last_flow_category_id_);
  t.phase.push_back(event.phase == 's'   ? FlowPhase::kStart
                    : event.phase == 't' ? FlowPhase::kStep
                                         : FlowPhase::kEnd);
  t.thread.push_back(Lane(event));
}

void RowMaker::AddOpenClose(const RawEvent& event, TimeNs time) {
  const bool async = event.phase == 'b' || event.phase == 'e';
  HostKind kind = HostKind::kOther;
  if (!async && SliceKindOf(event.category) == SliceKind::kOp) kind = HostKind::kOp;
  if (!async && SliceKindOf(event.category) == SliceKind::kAnnotation) kind = HostKind::kAnnotation;
  std::string key;
  if (async) key = std::string(event.category) + '\0' + std::string(event.id);
  rows_.open_close.push_back({event.phase, time, Text(event.name), Lane(event), kind,
                              part_.Intern(key), FullArgs(event), OffsetOf(event)});
}

// An NVTX range in a file written by `warpsight export`.
void RowMaker::AddNvtx(const RawEvent& event) {
  const auto start = ParseMicroseconds(event.time);
  const auto duration = ParseMicroseconds(event.duration);
  if (!start || !duration || *duration < 0 || *duration > kLongestSlice) {
    Log("bad_time", event, "an NVTX range has no start or no duration");
    return;
  }
  NvtxRangesTable& t = part_.tables.nvtx;
  t.start.push_back(*start);
  t.duration.push_back(*duration);
  t.text.push_back(Text(event.args.label));
  t.domain.push_back(Text(event.args.nvtx_domain));
  t.thread.push_back(Lane(event));
  t.style.push_back(event.args.host_kind == 1 ? NvtxStyle::kStartEnd : NvtxStyle::kPushPop);
}

void RowMaker::AddMetadata(const RawEvent& event) {
  if (event.args.only_shown) return;
  if (event.name == "warpsight_gpu") {
    if (event.args.device != kMissing) part_.Device(event.args.device);
  } else if (event.name == "warpsight_nvtx") {
    AddNvtx(event);
  } else if (event.name == "warpsight_stream") {
    const StreamId stream = StreamOf(event);
    part_.tables.streams.recorded_device[Index(stream)] = event.args.recorded_device;
  } else if (event.name == "process_name") {
    part_.tables.processes.name[Index(part_.Process(Unescape(event.pid, buffer_)))] =
        Text(event.args.label);
  } else if (event.name == "process_labels") {
    part_.tables.processes.labels[Index(part_.Process(Unescape(event.pid, buffer_)))] =
        Text(event.args.label);
  } else if (event.name == "thread_name") {
    part_.tables.threads.name[Index(Lane(event))] = Text(event.args.label);
  }
}

}  // namespace warpsight::importers::chrome
