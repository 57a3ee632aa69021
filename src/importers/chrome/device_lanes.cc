#include "importers/chrome/device_lanes.h"

#include <simdjson.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "importers/api/xla_texts.h"
#include "importers/chrome/number.h"
#include "model/copy_name.h"
#include "model/hash_map.h"
#include "tbb/parallel_for.h"

namespace warpsight::importers::chrome {
namespace {

struct Lane {
  int64_t device;
  std::optional<int64_t> stream;  // none: a lane of ranges (Steps, XLA Modules, ...)
  bool repeats = false;           // it repeats slices of other lanes
};

// By process and thread id, as in the file.
using LaneMap = HashMap<std::pair<std::string, std::string>, Lane>;

// A process that represents a GPU or, in TensorFlow 1 timelines, a stream of a GPU:
// "/device:GPU:0/stream:13 Compute".
struct DeviceProcess {
  int64_t device;
  std::string name;
};
using DeviceProcesses = HashMap<std::string, DeviceProcess>;  // by process id

// Whether the threads of the process launch ops on a GPU:
// "/job:localhost/replica:0/task:0/device:GPU:0 Compute".
bool IsLauncher(std::string_view process_name) {
  return process_name.ends_with(" Compute") && !Contains(process_name, "/stream:") &&
         !Contains(process_name, "/memcpy");
}

DeviceProcesses FindDeviceProcesses(const std::vector<BlockRows>& blocks) {
  DeviceProcesses devices;
  for (const BlockRows& block : blocks) {
    const auto& processes = block.part.tables.processes;
    for (size_t i = 0; i < processes.pid.size(); ++i) {
      const std::string_view name = block.part.strings.View(processes.name[i]);
      if (IsLauncher(name)) continue;
      auto device = xla::NumberBehind(name, "device:GPU:");
      if (!device && Contains(name, "/stream:")) device = xla::NumberBehind(name, "/gpu:");
      if (!device) continue;
      devices[std::string(block.part.strings.View(processes.pid[i]))] = {*device,
                                                                         std::string(name)};
    }
  }
  return devices;
}

// TensorFlow 1 shows the work of all streams a second time as "/stream:all", and copies a third
// time. Files of old versions have only "/stream:all".
Lane StreamLane(const DeviceProcess& process, bool numbered_streams) {
  if (const auto stream = xla::NumberBehind(process.name, "/stream:")) {
    return {process.device, stream};
  }
  if (!Contains(process.name, "/stream:all") && !Contains(process.name, "/memcpy")) {
    return {process.device, std::nullopt};
  }
  return {process.device, 0, numbered_streams || Contains(process.name, "/memcpy")};
}

LaneMap FindLanes(const std::vector<BlockRows>& blocks) {
  const DeviceProcesses devices = FindDeviceProcesses(blocks);
  const bool numbered = std::any_of(devices.begin(), devices.end(), [](const auto& entry) {
    return xla::NumberBehind(entry.second.name, "/stream:").has_value();
  });
  LaneMap lanes;
  if (devices.empty()) return lanes;
  for (const BlockRows& block : blocks) {
    const TracePart& part = block.part;
    const auto& threads = part.tables.threads;
    for (size_t i = 0; i < threads.tid.size(); ++i) {
      const size_t process = Index(threads.process[i]);
      const std::string pid(part.strings.View(part.tables.processes.pid[process]));
      const auto device = devices.find(pid);
      if (device == devices.end()) continue;
      const std::string_view name = part.strings.View(threads.name[i]);
      Lane lane = StreamLane(device->second, numbered);
      if (const auto stream = xla::NumberBehind(name, "Stream #")) lane.stream = stream;
      auto [it, added] =
          lanes.try_emplace({pid, std::string(part.strings.View(threads.tid[i]))}, lane);
      if (!added && !it->second.stream) it->second = lane;
    }
  }
  return lanes;
}

// Arguments that these writers store as texts.
struct TextArgs {
  int64_t correlation = kMissing, graph = kMissing, graph_node = kMissing;
  std::string kernel_details, copy_details;
  std::string hlo_op, hlo_module, scope, tf_op;
  std::string op;  // TensorFlow 1: the type of the op whose name is `scope`

  xla::OpName Op() const { return xla::NamedOp({hlo_op, hlo_module, scope, tf_op}); }
};

TextArgs ParseTextArgs(simdjson::dom::parser& parser, std::string_view json) {
  TextArgs args;
  simdjson::dom::object object;
  if (json.empty() || parser.parse(json).get(object) != simdjson::SUCCESS) return args;
  for (const auto& [key, value] : object) {
    std::string_view text;
    if (value.get(text) != simdjson::SUCCESS) continue;
    if (key == "correlation_id") args.correlation = ParseInteger(text).value_or(kMissing);
    if (key == "cuda_graph_id") args.graph = ParseInteger(text).value_or(kMissing);
    if (key == "cuda_graph_node_id") args.graph_node = ParseInteger(text).value_or(kMissing);
    if (key == "kernel_details") args.kernel_details = text;
    if (key == "hlo_op") args.hlo_op = text;
    if (key == "hlo_module") args.hlo_module = text;
    if (key == "name") args.scope = text;
    if (key == "tf_op") args.tf_op = text;
    if (key == "op") args.op = text;
    if (Contains(key, "emcpy_details") || Contains(key, "emset_details")) args.copy_details = text;
  }
  if (!args.op.empty()) args.tf_op = args.scope + ':' + args.op;
  return args;
}

class BlockMover {
 public:
  BlockMover(TracePart& part, const LaneMap& lanes) : part_(part), lanes_(lanes) {}

  void Run() {
    HostRangesTable& host = part_.tables.host;
    std::vector<bool> keep(host.start.size(), true);
    for (size_t row = 0; row < host.start.size(); ++row) {
      if (host.kind[row] != HostKind::kOther && host.kind[row] != HostKind::kOp) continue;
      keep[row] = !Move(row);
    }
    HostRangesTable::Columns([&](ColumnInfo, auto member) {
      auto& column = host.*member;
      size_t to = 0;
      for (size_t row = 0; row < keep.size(); ++row) {
        if (keep[row]) column[to++] = column[row];
      }
      column.resize(to);
    });
    DropUnusedExtras();
  }

 private:
  // Returns true if the row was copied to another table or repeats another row, so that it must be
  // removed.
  bool Move(size_t row) {
    HostRangesTable& host = part_.tables.host;
    const size_t thread = Index(host.thread[row]);
    const size_t process = Index(part_.tables.threads.process[thread]);
    const std::string_view name = part_.strings.View(host.name[row]);
    const TextArgs args = ParseTextArgs(
        parser_, IsSet(host.extra[row])
                     ? part_.strings.View(part_.tables.host_extras.args[Index(host.extra[row])])
                     : std::string_view());
    const auto lane =
        lanes_.find(std::pair{std::string(part_.strings.View(part_.tables.processes.pid[process])),
                              std::string(part_.strings.View(part_.tables.threads.tid[thread]))});
    if (lane == lanes_.end()) {
      if (args.correlation != kMissing || xla::IsApiFunction(name)) {
        AddApi(row, name, args);
        return true;
      }
      if (host.kind[row] == HostKind::kOther) {
        host.kind[row] = name.starts_with('$') ? HostKind::kPythonFunction : HostKind::kAnnotation;
      }
      return false;
    }
    if (lane->second.repeats) {
      part_.Log("repeated_lane", kMissing, "slices in lanes that repeat those of streams");
      return true;
    }
    if (lane->second.stream) {
      AddGpu(row, name, args, lane->second);
    } else {
      AddGpuAnnotation(row, lane->second);
    }
    return true;
  }

  void AddApi(size_t row, std::string_view name, const TextArgs& args) {
    const HostRangesTable& host = part_.tables.host;
    ApiCallsTable& t = part_.tables.api;
    const std::string_view function = xla::ApiFunctionOf(name, args.copy_details);
    t.start.push_back(host.start[row]);
    t.duration.push_back(host.duration[row]);
    t.name.push_back(part_.Intern(function));
    t.thread.push_back(host.thread[row]);
    t.kind.push_back(xla::ApiKindOf(function));
    t.correlation.push_back(args.correlation);
    t.external_id.push_back(kMissing);
    t.args.push_back(ArgsOf(row));
  }

  void AddGpu(size_t row, std::string_view name, const TextArgs& args, const Lane& lane) {
    const HostRangesTable& host = part_.tables.host;
    GpuActivitiesTable& t = part_.tables.gpu;
    const GpuKind kind = xla::GpuKindOf(name, !args.kernel_details.empty());
    const bool copy = kind == GpuKind::kCopy;
    const CopyDirection direction = copy ? CopyDirectionOf(name) : CopyDirection::kNotACopy;
    t.start.push_back(host.start[row]);
    t.duration.push_back(host.duration[row]);
    t.name.push_back(host.name[row]);
    t.stream.push_back(part_.Stream(lane.device, kMissing, *lane.stream));
    t.kind.push_back(kind);
    t.copy_direction.push_back(direction);
    t.host_memory.push_back(copy ? xla::HostMemoryOf(args.copy_details, direction)
                                 : HostMemory::kNone);
    t.correlation.push_back(args.correlation);
    t.external_id.push_back(kMissing);
    t.bytes.push_back(xla::CopiedBytes(args.copy_details));
    t.launch_config.push_back(args.kernel_details.empty()
                                  ? kNone<LaunchConfigId>
                                  : part_.Launch(xla::ReadKernelDetails(args.kernel_details)));
    GpuExtrasTable& x = part_.tables.gpu_extras;
    x.graph.push_back(args.graph);
    x.graph_node.push_back(args.graph_node);
    x.args.push_back(ArgsOf(row));
    x.collective.push_back(kNone<CollectiveId>);
    const xla::OpName op = args.Op();
    x.op_name.push_back(part_.Intern(op.name));
    x.op_type.push_back(part_.Intern(op.type));
    x.op_path.push_back(part_.Intern(op.path));
    x.bandwidth.push_back(kMissingReal);
    t.extra.push_back(MakeId<GpuExtraId>(x.args.size() - 1));
  }

  void AddGpuAnnotation(size_t row, const Lane& lane) {
    const HostRangesTable& host = part_.tables.host;
    GpuAnnotationsTable& t = part_.tables.gpu_annotations;
    t.start.push_back(host.start[row]);
    t.duration.push_back(host.duration[row]);
    t.name.push_back(host.name[row]);
    t.stream.push_back(part_.Stream(lane.device, kMissing, kMissing));
    t.external_id.push_back(kMissing);
  }

  // Removes the details of rows that were moved to other tables.
  void DropUnusedExtras() {
    HostExtrasTable& extras = part_.tables.host_extras;
    std::vector<HostExtraId> moved(RowCount(extras), kNone<HostExtraId>);
    Column<HostExtraId>& owners = part_.tables.host.extra;
    for (const HostExtraId id : owners) {
      if (IsSet(id)) moved[Index(id)] = id;
    }
    size_t kept = 0;
    for (size_t row = 0; row < moved.size(); ++row) {
      if (!IsSet(moved[row])) continue;
      HostExtrasTable::Columns(
          [&](ColumnInfo, auto member) { (extras.*member)[kept] = (extras.*member)[row]; });
      moved[row] = MakeId<HostExtraId>(kept++);
    }
    HostExtrasTable::Columns([&](ColumnInfo, auto member) { (extras.*member).resize(kept); });
    for (HostExtraId& id : owners) {
      if (IsSet(id)) id = moved[Index(id)];
    }
  }

  StringId ArgsOf(size_t row) const {
    const HostExtraId extra = part_.tables.host.extra[row];
    return IsSet(extra) ? part_.tables.host_extras.args[Index(extra)] : StringId::kEmpty;
  }

  TracePart& part_;
  const LaneMap& lanes_;
  simdjson::dom::parser parser_;
};

}  // namespace

void MoveDeviceLanes(std::vector<BlockRows>& blocks) {
  const LaneMap lanes = FindLanes(blocks);
  if (lanes.empty()) return;
  tbb::parallel_for(size_t{0}, blocks.size(),
                    [&](size_t i) { BlockMover(blocks[i].part, lanes).Run(); });
}

}  // namespace warpsight::importers::chrome
