#include "analysis/timeline/event_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "analysis/facts/call_stack.h"
#include "analysis/facts/clean_steps.h"
#include "analysis/facts/copy_rate.h"
#include "analysis/text/display_width.h"
#include "analysis/text/format.h"
#include "analysis/timeline/lane_titles.h"

namespace warpsight {
namespace {

// Inputs of ops with lists of tensors may be unreadably long.
constexpr size_t kLongestValue = 2000;
constexpr size_t kMaxFrames = 200;

class FieldWriter {
 public:
  FieldWriter(const Timeline& timeline, ProfileView profile, const RangeSummary& range,
              EventRef event)
      : timeline_(timeline),
        profile_(profile),
        trace_(profile.trace),
        tables_(profile.trace.tables),
        facts_(profile.facts),
        range_(range),
        event_(event),
        row_(event.row),
        times_(TimesOf(timeline, profile, event)) {}

  std::vector<EventField> Run() {
    switch (event_.table) {
      case EventTable::kHost:
        AddHost();
        break;
      case EventTable::kApi:
        AddCall();
        break;
      case EventTable::kGpu:
        AddGpu();
        break;
      case EventTable::kGap:
        AddGap();
        break;
      case EventTable::kIteration:
        AddIteration();
        break;
      case EventTable::kStretch:
        AddStretch();
        break;
      case EventTable::kAnnotation:
        AddStream(tables_.gpu_annotations.stream[row_]);
        Number("External id", tables_.gpu_annotations.external_id[row_]);
        break;
    }
    return std::move(fields_);
  }

 private:
  // Fields without a value are omitted.
  void Text(std::string_view name, std::string_view value) {
    if (!value.empty()) fields_.push_back({name, Shorten(value, kLongestValue)});
  }
  void Text(std::string_view name, StringId value) { Text(name, trace_.Text(value)); }
  void Number(std::string_view name, int64_t value) {
    if (value != kMissing) fields_.push_back({name, std::to_string(value)});
  }
  void Real(std::string_view name, double value, std::string_view unit = "") {
    if (value >= 0) fields_.push_back({name, fmt::format("{}{}", FormatReal(value), unit)});
  }
  void Bytes(std::string_view name, int64_t bytes) {
    if (bytes == kMissing) return;
    fields_.push_back({name, bytes < 1000
                                 ? fmt::format("{} B", bytes)
                                 : fmt::format("{} ({} B)", FormatBytes(static_cast<double>(bytes)),
                                               FormatCount(bytes))});
  }
  void Duration(std::string_view name, DurationNs duration) {
    fields_.push_back({name, FormatDuration(static_cast<double>(duration))});
  }
  // A size in three dimensions: "32 × 1 × 1".
  void Extent(std::string_view name, int64_t x, int64_t y, int64_t z) {
    if (x == kMissing || y == kMissing || z == kMissing) return;
    fields_.push_back({name, fmt::format("{} × {} × {}", x, y, z)});
  }

  void AddHost() {
    const HostRangesTable& host = tables_.host;
    const auto self = MakeId<HostId>(row_);
    if (host.kind[row_] != HostKind::kSpan) Duration("Self time", SelfTime());
    if (host.kind[row_] == HostKind::kOp) {
      Text("Direction", ToString(facts_.host.direction[row_]));
    }
    const ModulePathsTable& paths = facts_.module_paths;
    const HostId counted = facts_.host.op[row_];
    const auto path = std::lower_bound(paths.op.begin(), paths.op.end(), counted);
    if (IsSet(counted) && path != paths.op.end() && *path == counted) {
      Text("Module", paths.path[static_cast<size_t>(path - paths.op.begin())]);
    }
    if (IsSet(counted) && counted != self) {
      Text("Counted under", tables_.host.name[Index(counted)]);
    }
    if (const SignatureId inputs = host.signature[row_]; IsSet(inputs)) {
      const SignaturesTable& signatures = tables_.signatures;
      Text("Input shapes", signatures.dims[Index(inputs)]);
      Text("Input types", signatures.types[Index(inputs)]);
      Text("Input strides", signatures.strides[Index(inputs)]);
      Text("Concrete inputs", signatures.values[Index(inputs)]);
    }
    Number("Sequence number", host.sequence[row_]);
    Number("External id", host.external_id[row_]);
    if (const HostExtraId extra = host.extra[row_]; IsSet(extra)) {
      AddCollective(tables_.host_extras.collective[Index(extra)]);
      Text("Op type", tables_.host_extras.op_type[Index(extra)]);
      Text("Arguments", tables_.host_extras.args[Index(extra)]);
    }
    AddThread(host.thread[row_]);
  }

  // The time in which no call of the next row runs.
  DurationNs SelfTime() const {
    const EventPlace place = PlaceOf(timeline_, profile_, range_, event_);
    DurationNs self = times_.end - times_.start;
    const SliceLane& slices = timeline_.lanes()[place.lane].slices;
    if (place.depth + 1 >= slices.row_count()) return self;
    slices.ForEachEvent(place.depth + 1, times_.start, times_.end, [&](EventRef child) {
      const Interval inner = TimesOf(timeline_, profile_, child);
      self -= std::max<DurationNs>(
          0, std::min(inner.end, times_.end) - std::max(inner.start, times_.start));
    });
    return std::max<DurationNs>(self, 0);
  }

  void AddCall() {
    const ApiCallsTable& api = tables_.api;
    const EventPlace place = PlaceOf(timeline_, profile_, range_, event_);
    if (place.category == Category::kSync) Text("Waits for the GPU", "yes");
    Number("Correlation id", api.correlation[row_]);
    Number("External id", api.external_id[row_]);
    Text("Arguments", api.args[row_]);
    AddThread(api.thread[row_]);
  }

  void AddGpu() {
    const GpuActivitiesTable& gpu = tables_.gpu;
    if (gpu.kind[row_] == GpuKind::kKernel) {
      AddLaunch(gpu.launch_config[row_]);
      AddKernelClass();
    } else {
      AddCopy();
    }
    if (const ApiId call = facts_.gpu.api[row_]; IsSet(call)) {
      const Interval launch = TimesOf(timeline_, profile_, {EventTable::kApi, Id(call)});
      Duration("Launch delay", std::max<DurationNs>(0, times_.start - launch.end));
    }
    AddStream(gpu.stream[row_]);
    Number("Correlation id", gpu.correlation[row_]);
    if (const GpuExtraId extra = gpu.extra[row_]; IsSet(extra)) {
      const GpuExtrasTable& extras = tables_.gpu_extras;
      Number("CUDA graph", extras.graph[Index(extra)]);
      Number("Node of the graph", extras.graph_node[Index(extra)]);
      Text("Op named by the work", extras.op_name[Index(extra)]);
      Text("Type of that op", extras.op_type[Index(extra)]);
      Text("Scope of that op", extras.op_path[Index(extra)]);
      AddCollective(extras.collective[Index(extra)]);
      Text("Arguments", extras.args[Index(extra)]);
    }
  }

  void AddLaunch(LaunchConfigId config) {
    if (!IsSet(config)) return;
    const LaunchConfigsTable& t = tables_.launch_configs;
    const size_t c = Index(config);
    Extent("Grid", t.grid_x[c], t.grid_y[c], t.grid_z[c]);
    Extent("Block", t.block_x[c], t.block_y[c], t.block_z[c]);
    Number("Registers per thread", t.registers[c]);
    Bytes("Shared memory per block", t.shared_bytes[c]);
    Real("Occupancy", t.occupancy_percent[c], " %");
    Real("Blocks per SM", t.blocks_per_sm[c]);
    Real("Warps per SM", t.warps_per_sm[c]);
  }

  void AddKernelClass() {
    const KernelNamesTable& names = facts_.kernel_names;
    const size_t kernel = facts_.KernelRow(tables_.gpu.name[row_]);
    const bool measured = names.measured_launches[kernel] > 0;
    switch (names.tensor_cores[kernel]) {
      case TensorCores::kYes:
        Text("Tensor Cores", measured ? "yes, measured" : "yes");
        break;
      case TensorCores::kNo:
        Text("Tensor Cores", measured ? "no, measured" : "no");
        break;
      case TensorCores::kUnknown:
        Text("Tensor Cores", "not known");
        break;
    }
    Text("Family", names.family[kernel]);
    Text("Library", names.library[kernel]);
    Text("Number format", names.precision[kernel]);
  }

  void AddCopy() {
    const GpuActivitiesTable& gpu = tables_.gpu;
    switch (gpu.copy_direction[row_]) {
      case CopyDirection::kHostToDevice:
        Text("Direction", "host to device");
        break;
      case CopyDirection::kDeviceToHost:
        Text("Direction", "device to host");
        break;
      case CopyDirection::kDeviceToDevice:
        Text("Direction", "device to device");
        break;
      case CopyDirection::kPeerToPeer:
        Text("Direction", "from one GPU to another");
        break;
      case CopyDirection::kHostToHost:
        Text("Direction", "host to host");
        break;
      case CopyDirection::kNotACopy:
      case CopyDirection::kUnknown:
        break;
    }
    if (gpu.host_memory[row_] == HostMemory::kPageable) Text("Host memory", "pageable");
    if (gpu.host_memory[row_] == HostMemory::kPinned) Text("Host memory", "pinned");
    Bytes("Bytes", gpu.bytes[row_]);
    const double rate = CopyRate(trace_, MakeId<GpuId>(row_));
    if (rate >= 0) fields_.push_back({"Bandwidth", FormatBytes(rate) + "/s"});
  }

  void AddGap() {
    const GapsTable& gaps = facts_.gaps;
    Text("Cause", fmt::format("{}: {}", ToString(gaps.cause[row_]), Explain(gaps.cause[row_])));
    if (const HostId op = gaps.op[row_]; IsSet(op)) Text("Op", tables_.host.name[Index(op)]);
    if (const GpuId next = gaps.next[row_]; IsSet(next)) {
      Text("Ended by", EventName(profile_, {EventTable::kGpu, Id(next)}));
    }
    Text("GPU", GpuTitle(trace_, gaps.device[row_]));
  }

  static std::string_view Explain(IdleCause cause) {
    switch (cause) {
      case IdleCause::kData:
        return "the host was loading data";
      case IdleCause::kSync:
        return "the host had waited for the GPU, and nothing was launched ahead";
      case IdleCause::kAllocation:
        return "the host was allocating or freeing memory";
      case IdleCause::kHostWork:
        return "the launch of the next work had not returned";
      case IdleCause::kLaunchLatency:
        return "the next work was launched and had not started yet";
      case IdleCause::kDependency:
        return "the next work was launched, and its stream waited for an event or a host function";
      case IdleCause::kOtherRank:
        return "the next work is a collective that was launched and did not start";
      case IdleCause::kUnknown:
        break;
    }
    return "the trace does not show why";
  }

  void AddIteration() {
    const IterationsTable& table = facts_.iterations;
    Number("Number", table.number[row_]);
    Duration("On the CPU", times_.end - times_.start);
    if (table.gpu_end[row_] > table.start[row_]) {
      Duration("Until its last GPU work ended", table.gpu_end[row_] - table.start[row_]);
    }
    Text("Aggregated",
         range_.Contains(profile_, MakeId<IterationId>(row_)) ? "yes" : "no, outside the range");
    Text("Of", SourceLabel(trace_, table.source[row_]));
  }

  void AddStretch() {
    const SourceId source = tables_.clean_stretches.source[row_];
    Text("Recorded", "nothing: the program ran as without the profiler");
    const StepTimesTable& steps = tables_.step_times;
    int64_t count = 0;
    DurationNs sum = 0;
    for (const uint32_t step : StepsOf(trace_, source)) {
      if (steps.state[step] != StepState::kClean || steps.start[step] < times_.start ||
          steps.start[step] >= times_.end) {
        continue;
      }
      ++count;
      sum += steps.duration[step];
    }
    Number("Steps", count);
    if (count > 0) Duration("Mean step", sum / count);
    Text("Of", SourceLabel(trace_, source));
  }

  void AddCollective(CollectiveId collective) {
    if (!IsSet(collective)) return;
    const CollectivesTable& t = tables_.collectives;
    const size_t c = Index(collective);
    Text("Collective", t.name[c]);
    Text("Element type", t.dtype[c]);
    Number("Elements in", t.elements_in[c]);
    Number("Elements out", t.elements_out[c]);
    Text("Process group", t.group_name[c]);
    Text("Group description", t.group_description[c]);
    Text("Ranks", t.group_ranks[c]);
    Number("Group size", t.group_size[c]);
  }

  void AddStream(StreamId stream) {
    Number("Stream", tables_.streams.stream[Index(stream)]);
    Number("Context", tables_.streams.context[Index(stream)]);
    Text("GPU", GpuTitle(trace_, trace_.DeviceOf(stream)));
  }

  void AddThread(ThreadId thread) {
    Text("Thread", ThreadTitle(trace_, thread));
    Text("Process", ProcessTitle(trace_, tables_.threads.process[Index(thread)]));
  }

  template <typename T>
  static uint32_t Id(T id) {
    return static_cast<uint32_t>(Index(id));
  }

  const Timeline& timeline_;
  ProfileView profile_;
  const Trace& trace_;
  const TraceTables& tables_;
  const FactTables& facts_;
  const RangeSummary& range_;
  EventRef event_;
  uint32_t row_;
  Interval times_;
  std::vector<EventField> fields_;
};

// The innermost host range to which an event belongs.
HostId RangeOf(ProfileView profile, EventRef event) {
  switch (event.table) {
    case EventTable::kHost:
      return MakeId<HostId>(event.row);
    case EventTable::kApi:
      return profile.facts.api.op[event.row];
    case EventTable::kGpu:
      return profile.facts.gpu.op[event.row];
    case EventTable::kGap:
      return profile.facts.gaps.op[event.row];
    case EventTable::kIteration:
    case EventTable::kAnnotation:
    case EventTable::kStretch:
      break;
  }
  return kNone<HostId>;
}

}  // namespace

std::string_view KindOf(ProfileView profile, EventRef event) {
  const TraceTables& tables = profile.trace.tables;
  switch (event.table) {
    case EventTable::kHost:
      switch (tables.host.kind[event.row]) {
        case HostKind::kOp:
          return "op";
        case HostKind::kAnnotation:
          return "annotation";
        case HostKind::kPythonFunction:
          return "python_function";
        case HostKind::kModule:
          return "module";
        case HostKind::kOverhead:
          return "overhead";
        case HostKind::kSpan:
          return "span";
        case HostKind::kSystemCall:
          return "system_call";
        case HostKind::kOther:
          break;
      }
      return "other";
    case EventTable::kApi:
      return tables.api.kind[event.row] == ApiKind::kRuntime ? "runtime_call" : "driver_call";
    case EventTable::kGpu:
      switch (tables.gpu.kind[event.row]) {
        case GpuKind::kKernel:
          return "kernel";
        case GpuKind::kCopy:
          return "copy";
        case GpuKind::kMemset:
          break;
      }
      return "memset";
    case EventTable::kGap:
      return "gap";
    case EventTable::kIteration:
      return "iteration";
    case EventTable::kStretch:
      return "clean_stretch";
    case EventTable::kAnnotation:
      break;
  }
  return "gpu_annotation";
}

std::vector<EventField> FieldsOf(const Timeline& timeline, ProfileView profile,
                                 const RangeSummary& range, EventRef event) {
  return FieldWriter(timeline, profile, range, event).Run();
}

std::vector<std::string> StackOf(ProfileView profile, EventRef event) {
  const HostId range = RangeOf(profile, event);
  if (!IsSet(range)) return {};
  const std::vector<std::string_view> frames = CallStack(profile, range);
  return {frames.begin(),
          frames.begin() + static_cast<ptrdiff_t>(std::min(frames.size(), kMaxFrames))};
}

}  // namespace warpsight
