#include "importers/chrome/node_ops.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/text.h"
#include "importers/api/torch_markers.h"
#include "importers/chrome/number.h"
#include "tbb/parallel_for.h"

namespace warpsight::importers::chrome {
namespace {

constexpr std::string_view kNodeTime = "_kernel_time";

struct Node {
  std::string name, type;
  std::string dims, types;  // of the inputs, JSON as in Kineto traces
  std::array<int64_t, 3> grid{kMissing, kMissing, kMissing};
  std::array<int64_t, 3> block{kMissing, kMissing, kMissing};
};

int64_t LaunchNumber(std::string_view text) {
  const int64_t value = ParseInteger(text).value_or(kMissing);
  return value >= 0 && value <= (int64_t{1} << 32) ? value : kMissing;
}

// Reads ONNX Runtime's inputs: [{"float":[4,3,16,16]},{"int64":[]}].
void ReadInputs(const simdjson::dom::array& inputs, Node& node) {
  for (const simdjson::dom::element& input : inputs) {
    simdjson::dom::object typed;
    if (input.get(typed) != simdjson::SUCCESS) return;
    for (const auto& [type, shape] : typed) {
      const std::string separator = node.dims.empty() ? "[" : ", ";
      node.dims += separator + simdjson::minify(shape);
      node.types += separator + fmt::format("\"{}\"", KinetoType(type));
    }
  }
  if (node.dims.empty()) return;
  node.dims += ']';
  node.types += ']';
}

// ONNX Runtime writes op_name and input_type_shape, and for kernels parent_name and grid_x to
// block_z; TensorFlow 1 writes name and op. All other arguments are texts.
Node ReadNode(simdjson::dom::parser& parser, std::string_view json) {
  Node node;
  simdjson::dom::object object;
  if (json.empty() || parser.parse(json).get(object) != simdjson::SUCCESS) return node;
  for (const auto& [key, value] : object) {
    simdjson::dom::array inputs;
    if (key == "input_type_shape" && value.get(inputs) == simdjson::SUCCESS) {
      ReadInputs(inputs, node);
    }
    std::string_view text;
    if (value.get(text) != simdjson::SUCCESS) continue;
    if (key == "op_name" || key == "op") node.type = text;
    if (key == "name" || key == "parent_name") node.name = text;
    const size_t axis = key.size() > 1 ? static_cast<size_t>(key.back() - 'x') : 3;
    if (axis < 3 && key.starts_with("grid_")) node.grid[axis] = LaunchNumber(text);
    if (axis < 3 && key.starts_with("block_")) node.block[axis] = LaunchNumber(text);
  }
  return node;
}

class BlockNamer {
 public:
  explicit BlockNamer(TracePart& part) : part_(part) {}

  void Run() {
    for (size_t row = 0; row < part_.tables.host.start.size(); ++row) NameHost(row);
    for (size_t row = 0; row < part_.tables.gpu.start.size(); ++row) NameGpu(row);
  }

 private:
  // The position of a node. Its name is its path in the graph: "/layer1/conv/Conv",
  // "model/dense/MatMul".
  struct Place {
    std::string_view path, name;
  };
  static Place Split(std::string_view full) {
    if (full.ends_with(kNodeTime)) full.remove_suffix(kNodeTime.size());
    if (full.starts_with('/')) full.remove_prefix(1);
    const size_t slash = full.rfind('/');
    if (slash == std::string_view::npos || slash + 1 == full.size()) return {{}, full};
    return {full.substr(0, slash), full.substr(slash + 1)};
  }

  void NameHost(size_t row) {
    HostRangesTable& host = part_.tables.host;
    if (host.kind[row] != HostKind::kOp) return;
    const std::string slice(part_.strings.View(host.name[row]));
    if (slice.ends_with("_fence_before") || slice.ends_with("_fence_after")) {
      host.kind[row] = HostKind::kOther;
      return;
    }
    const HostExtraId extra = host.extra[row];
    const Node node =
        IsSet(extra)
            ? ReadNode(parser_, part_.strings.View(part_.tables.host_extras.args[Index(extra)]))
            : Node{};
    const bool timed = slice.ends_with(kNodeTime);
    if (node.type.empty() && !timed) return;
    Place place =
        Split(timed || node.name.empty() ? std::string_view(slice) : std::string_view(node.name));
    if (place.name.empty()) place.name = node.type;
    if (place.name.empty()) return;
    host.name[row] = part_.Intern(place.name);
    if (!node.dims.empty()) {
      host.signature[row] = part_.Signature(part_.Intern(node.dims), part_.Intern(node.types),
                                            StringId::kEmpty, StringId::kEmpty);
    }
    if (!IsSet(extra)) return;
    part_.tables.host_extras.module_hierarchy[Index(extra)] = part_.Intern(place.path);
    part_.tables.host_extras.op_type[Index(extra)] = part_.Intern(node.type);
  }

  void NameGpu(size_t row) {
    GpuActivitiesTable& gpu = part_.tables.gpu;
    GpuExtrasTable& extras = part_.tables.gpu_extras;
    const GpuExtraId extra = gpu.extra[row];
    if (!IsSet(extra) || extras.op_name[Index(extra)] != StringId::kEmpty) return;
    const Node node = ReadNode(parser_, part_.strings.View(extras.args[Index(extra)]));
    if (!IsSet(gpu.launch_config[row]) && node.grid[0] != kMissing) {
      TracePart::LaunchConfig launch;
      launch.grid = node.grid;
      launch.block = node.block;
      gpu.launch_config[row] = part_.Launch(launch);
    }
    if (node.type.empty()) return;
    Place place = Split(node.name);
    if (place.name.empty()) place.name = node.type;
    extras.op_name[Index(extra)] = part_.Intern(place.name);
    extras.op_type[Index(extra)] = part_.Intern(node.type);
    extras.op_path[Index(extra)] = part_.Intern(place.path);
  }

  TracePart& part_;
  simdjson::dom::parser parser_;
};

}  // namespace

void NameNodeOps(std::vector<BlockRows>& blocks) {
  const bool any = std::any_of(blocks.begin(), blocks.end(),
                               [](const BlockRows& block) { return block.node_ops; });
  if (!any) return;
  tbb::parallel_for(size_t{0}, blocks.size(), [&](size_t i) { BlockNamer(blocks[i].part).Run(); });
}

}  // namespace warpsight::importers::chrome
