#include "importers/chrome/device_lanes.h"

#include <simdjson.h>

#include <algorithm>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "base/text.h"
#include "importers/chrome/number.h"
#include "model/copy_name.h"
#include "tbb/parallel_for.h"

namespace warpsight::importers::chrome {
namespace {

// The number at the end of `text` behind `mark`: "/device:GPU:0" with "GPU:" is 0.
std::optional<int64_t> NumberAfter(std::string_view text, std::string_view mark) {
  const size_t at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view digits = text.substr(at + mark.size());
  digits = digits.substr(0, digits.find_first_not_of("0123456789"));
  return ParseInteger(digits);
}

struct Lane {
  int64_t device;
  std::optional<int64_t> stream;  // none: a lane of ranges (Steps, XLA Modules, ...)
};

// By process and thread id, as written.
using LaneMap = absl::flat_hash_map<std::pair<std::string, std::string>, Lane>;

LaneMap FindLanes(const std::vector<BlockRows>& blocks) {
  absl::flat_hash_map<std::string, int64_t> devices;
  for (const BlockRows& block : blocks) {
    const auto& processes = block.part.tables.processes;
    for (size_t i = 0; i < processes.pid.size(); ++i) {
      const std::string_view name = block.part.strings.View(processes.name[i]);
      if (!Contains(name, "device:GPU:")) continue;
      if (const auto device = NumberAfter(name, "device:GPU:")) {
        devices[std::string(block.part.strings.View(processes.pid[i]))] = *device;
      }
    }
  }
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
      const std::string_view process_name = part.strings.View(part.tables.processes.name[process]);
      Lane lane{device->second, NumberAfter(name, "Stream #")};
      if (!lane.stream) lane.stream = NumberAfter(process_name, "/stream:");
      auto [it, added] =
          lanes.try_emplace({pid, std::string(part.strings.View(threads.tid[i]))}, lane);
      if (!added && !it->second.stream) it->second = lane;
    }
  }
  return lanes;
}

// The arguments that such writers give as texts.
struct TextArgs {
  int64_t correlation = kMissing;
  int64_t graph = kMissing, graph_node = kMissing, bytes = kMissing;
  TracePart::LaunchConfig launch;
  bool has_launch = false;
  bool has_step = false;
};

// Calls visit(part) for each part of `text` between separators.
template <typename Visit>
void ForEachPart(std::string_view text, char separator, Visit visit) {
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// A number of blocks, threads, registers or bytes of a launch; larger ones are damage.
int64_t LaunchNumber(std::string_view text) {
  const int64_t value = ParseInteger(text).value_or(kMissing);
  return value >= 0 && value <= (int64_t{1} << 32) ? value : kMissing;
}

std::array<int64_t, 3> CommaTriple(std::string_view text) {
  std::array<int64_t, 3> values{kMissing, kMissing, kMissing};
  size_t i = 0;
  ForEachPart(text, ',', [&](std::string_view part) {
    if (i < values.size()) values[i++] = LaunchNumber(part);
  });
  return values;
}

void ReadKernelDetails(std::string_view details, TextArgs& args) {
  ForEachPart(details, ' ', [&](std::string_view word) {
    const size_t colon = word.find(':');
    if (colon == std::string_view::npos) return;
    const std::string_view key = word.substr(0, colon);
    const std::string_view value = word.substr(colon + 1);
    if (key == "regs") args.launch.registers = LaunchNumber(value);
    if (key == "grid") args.launch.grid = CommaTriple(value);
    if (key == "block") args.launch.block = CommaTriple(value);
    if (key == "occ_pct") args.launch.occupancy_percent = ParseReal(value).value_or(kMissingReal);
    if (key == "static_shared" || key == "dynamic_shared") {
      const int64_t bytes = std::max<int64_t>(0, LaunchNumber(value));
      args.launch.shared_bytes =
          (args.launch.shared_bytes == kMissing ? 0 : args.launch.shared_bytes) + bytes;
    }
  });
  args.has_launch = true;
}

// "kind_src:host kind_dst:device size:4096 dest:0 async:1" or "kind:device size:4 async:1".
int64_t SizeFromDetails(std::string_view details) {
  return NumberAfter(details, "size:").value_or(kMissing);
}

TextArgs ParseTextArgs(simdjson::dom::parser& parser, std::string_view json) {
  TextArgs args;
  simdjson::dom::object object;
  if (json.empty() || parser.parse(json).get(object) != simdjson::SUCCESS) return args;
  for (const auto& [key, value] : object) {
    if (key == "step_num") args.has_step = true;
    std::string_view text;
    if (value.get(text) != simdjson::SUCCESS) continue;
    if (key == "correlation_id") args.correlation = ParseInteger(text).value_or(kMissing);
    if (key == "cuda_graph_id") args.graph = ParseInteger(text).value_or(kMissing);
    if (key == "cuda_graph_node_id") args.graph_node = ParseInteger(text).value_or(kMissing);
    if (key == "kernel_details") ReadKernelDetails(text, args);
    if (Contains(key, "emcpy_details") || Contains(key, "emset_details")) {
      args.bytes = SizeFromDetails(text);
    }
  }
  return args;
}

GpuKind GpuKindOf(std::string_view name, const TextArgs& args) {
  if (args.has_launch) return GpuKind::kKernel;
  if (Contains(name, "Memset") || Contains(name, "MEMSET")) return GpuKind::kMemset;
  if (Contains(name, "Memcpy") || Contains(name, "MEMCPY")) return GpuKind::kCopy;
  return GpuKind::kKernel;
}

CopyDirection DirectionOf(std::string_view name) {
  if (Contains(name, "H2D")) return CopyDirection::kHostToDevice;
  if (Contains(name, "D2H")) return CopyDirection::kDeviceToHost;
  if (Contains(name, "D2D")) return CopyDirection::kDeviceToDevice;
  if (Contains(name, "P2P")) return CopyDirection::kPeerToPeer;
  return CopyDirectionOf(name);
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
  // True when the row was copied to another table.
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
      if (args.correlation != kMissing) {
        AddApi(row, name, args);
        return true;
      }
      host.kind[row] = name.starts_with('$') ? HostKind::kPythonFunction : HostKind::kAnnotation;
      return false;
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
    const bool driver = name.starts_with("cu") && !name.starts_with("cuda");
    t.start.push_back(host.start[row]);
    t.duration.push_back(host.duration[row]);
    t.name.push_back(host.name[row]);
    t.thread.push_back(host.thread[row]);
    t.kind.push_back(driver ? ApiKind::kDriver : ApiKind::kRuntime);
    t.correlation.push_back(args.correlation);
    t.external_id.push_back(kMissing);
    t.args.push_back(ArgsOf(row));
  }

  void AddGpu(size_t row, std::string_view name, const TextArgs& args, const Lane& lane) {
    const HostRangesTable& host = part_.tables.host;
    GpuActivitiesTable& t = part_.tables.gpu;
    const GpuKind kind = GpuKindOf(name, args);
    const bool copy = kind == GpuKind::kCopy;
    t.start.push_back(host.start[row]);
    t.duration.push_back(host.duration[row]);
    t.name.push_back(host.name[row]);
    t.stream.push_back(part_.Stream(lane.device, kMissing, *lane.stream));
    t.kind.push_back(kind);
    t.copy_direction.push_back(copy ? DirectionOf(name) : CopyDirection::kNotACopy);
    t.host_memory.push_back(copy ? HostMemoryOf(name) : HostMemory::kNone);
    t.correlation.push_back(args.correlation);
    t.external_id.push_back(kMissing);
    t.bytes.push_back(args.bytes);
    t.launch_config.push_back(args.has_launch ? part_.Launch(args.launch) : kNone<LaunchConfigId>);
    GpuExtrasTable& x = part_.tables.gpu_extras;
    x.graph.push_back(args.graph);
    x.graph_node.push_back(args.graph_node);
    x.args.push_back(ArgsOf(row));
    x.collective.push_back(kNone<CollectiveId>);
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

  // The details of rows that were moved went with them.
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
