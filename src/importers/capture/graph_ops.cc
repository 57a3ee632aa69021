#include "importers/capture/graph_ops.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/order.h"
#include "base/text.h"
#include "model/hash_map.h"
#include "model/host_name.h"

namespace warpsight::importers::capture {
namespace {

using wire::GraphNodeRecord;

// Limits the paths of deeply nested ranges.
constexpr size_t kLongestPath = 4096;
// A graph is instantiated from a captured graph, or from a clone of one, and so on.
constexpr int kMaxClones = 16;

struct NamedOp {
  StringId name = StringId::kEmpty;
  StringId type = StringId::kEmpty;
  StringId path = StringId::kEmpty;
};

// A host row of some part.
struct Row {
  TimeNs start;
  DurationNs duration;
  int64_t thread;
  const TracePart* part;
  size_t index;

  StringId name_id() const { return part->tables.host.name[index]; }
  std::string_view name() const { return part->strings.View(name_id()); }
  HostKind kind() const { return part->tables.host.kind[index]; }
  // The value of a column that the part may not have filled.
  template <typename T>
  static T At(const Column<T>& column, size_t row, T missing) {
    return row < column.size() ? column[row] : missing;
  }
  int64_t sequence() const { return At(part->tables.host.sequence, index, kMissing); }
  HostExtraId extra() const { return At(part->tables.host.extra, index, kNone<HostExtraId>); }
  std::string_view ExtraText(const Column<StringId>& column) const {
    if (!IsSet(extra())) return {};
    return part->strings.View(At(column, Index(extra()), StringId::kEmpty));
  }
  std::string_view scope() const { return ExtraText(part->tables.host_extras.module_hierarchy); }
  std::string_view op_type() const { return ExtraText(part->tables.host_extras.op_type); }
};

// Annotations show where the graph was captured, not what its work is for.
bool Counts(HostKind kind) { return kind == HostKind::kOp || kind == HostKind::kModule; }

// Goes through ranges and captured nodes in time order and finds the op of each node. Mirrors how
// analysis attributes launches to ops.
class CaptureSweep {
 public:
  CaptureSweep(const std::vector<const RowPart*>& hosts, HashSet<int64_t> autograd, TimeNs first,
               TimeNs last)
      : autograd_(std::move(autograd)) {
    std::vector<TimeNs> starts;
    std::vector<DurationNs> durations;
    for (const RowPart* host : hosts) {
      const HostRangesTable& t = host->part().tables.host;
      for (size_t i = 0; i < t.start.size(); ++i) {
        if (!Counts(t.kind[i]) || t.start[i] > last || t.start[i] + t.duration[i] <= first)
          continue;
        unsorted_.push_back(
            {t.start[i], t.duration[i], host->TidOf(t.thread[i]), &host->part(), i});
        starts.push_back(t.start[i]);
        durations.push_back(t.duration[i]);
      }
    }
    order_ = TimelineOrder(starts, durations);
  }

  // The op that was running at a time on a thread. Times must not decrease from call to call.
  NamedOp OpAt(int64_t thread, TimeNs time) {
    for (; next_ < order_.size() && unsorted_[order_[next_]].start <= time; ++next_) {
      Open(unsorted_[order_[next_]]);
    }
    const OpenRange& top = Top(thread, time);
    if (top.reported.name != StringId::kEmpty) return top.reported;
    if (top.innermost == StringId::kEmpty) return {};
    return {top.innermost, StringId::kEmpty, PathOf(top)};
  }

  std::string_view Text(StringId id) const { return strings_.View(id); }

 private:
  struct OpenRange {
    TimeNs end = 0;
    StringId path = StringId::kEmpty;  // of the enclosing modules
    NamedOp reported;
    StringId innermost = StringId::kEmpty;
    bool backward = false;
    StringId node = StringId::kEmpty;          // the backward node
    StringId forward_path = StringId::kEmpty;  // of the op whose gradient it computes
  };

  const OpenRange& Top(int64_t thread, TimeNs time) {
    std::vector<OpenRange>& stack = stacks_[thread];
    while (!stack.empty() && stack.back().end <= time) stack.pop_back();
    return stack.empty() ? kNothingOpen : stack.back();
  }

  void Open(const Row& row) {
    OpenRange range = Top(row.thread, row.start);
    if (row.kind() == HostKind::kOp) {
      OpenOp(row, range);
    } else {
      range.path = Join(range.path, row.name());
    }
    range.end = row.start + row.duration;
    stacks_[row.thread].push_back(range);
  }

  void OpenOp(const Row& row, OpenRange& range) {
    const std::string_view name = row.name();
    range.innermost = strings_.Intern(name);
    const bool wrapper = IsAutogradWrapper(name);
    range.backward = range.backward || wrapper || autograd_.contains(row.thread);
    if (range.backward && wrapper) {
      range.node = range.innermost;
      const auto forward = forward_paths_.find(row.sequence());
      if (forward != forward_paths_.end()) range.forward_path = forward->second;
    }
    if (range.reported.name == StringId::kEmpty && !IsWrapper(name)) {
      // If the op's type was recorded, its scope was recorded too and may be empty.
      const bool has_scope = !row.scope().empty() || !row.op_type().empty();
      range.reported = {range.innermost, strings_.Intern(row.op_type()),
                        has_scope ? strings_.Intern(row.scope()) : PathOf(range)};
    }
    if (!range.backward && row.sequence() != kMissing) {
      forward_paths_[row.sequence()] = range.reported.path;
    }
  }

  StringId PathOf(const OpenRange& range) {
    if (!range.backward) return range.path;
    const StringId path = range.forward_path != StringId::kEmpty ? range.forward_path
                          : range.path != StringId::kEmpty       ? range.path
                                                                 : range.node;
    if (path == StringId::kEmpty) return path;
    return strings_.Intern(std::string("gradients/").append(Text(path)));
  }

  StringId Join(StringId parent, std::string_view name) {
    if (Text(parent).size() > kLongestPath) return parent;
    std::string path(Text(parent));
    if (!path.empty()) path += '/';
    // Replace '/' in names, since it separates the levels of a path.
    for (const char c : name) path += c == '/' ? '|' : c;
    return strings_.Intern(path);
  }

  static const OpenRange kNothingOpen;

  HashSet<int64_t> autograd_;  // PyTorch's backward threads
  std::vector<Row> unsorted_;
  std::vector<uint32_t> order_;
  size_t next_ = 0;
  StringPool strings_;
  HashMap<int64_t, std::vector<OpenRange>> stacks_;  // by thread
  HashMap<int64_t, StringId> forward_paths_;         // by sequence number
};

const CaptureSweep::OpenRange CaptureSweep::kNothingOpen;

// The nodes of all graphs, sorted by number and creation time.
class Nodes {
 public:
  explicit Nodes(std::vector<GraphNodeRecord> records) : records_(std::move(records)) {
    std::stable_sort(records_.begin(), records_.end(), Before);
  }

  static constexpr uint32_t kNothing = UINT32_MAX;
  const std::vector<GraphNodeRecord>& records() const { return records_; }

  // Rows of records() in time order.
  std::vector<uint32_t> ByTime() const {
    std::vector<uint32_t> rows(records_.size());
    std::iota(rows.begin(), rows.end(), 0);
    std::stable_sort(rows.begin(), rows.end(),
                     [&](uint32_t a, uint32_t b) { return records_[a].time < records_[b].time; });
    return rows;
  }

  // The captured node from which the node with this number at this time was cloned: a row of
  // records(), or kNothing.
  uint32_t CapturedAs(int64_t node, TimeNs time) const {
    for (int i = 0; i < kMaxClones; ++i) {
      GraphNodeRecord sought{};
      sought.node = node;
      sought.time = time;
      const auto after = std::upper_bound(records_.begin(), records_.end(), sought, Before);
      if (after == records_.begin() || (after - 1)->node != node) return kNothing;
      const GraphNodeRecord& latest = *(after - 1);
      if (latest.cloned_from == 0) return static_cast<uint32_t>(after - records_.begin() - 1);
      node = latest.cloned_from;
      time = latest.time;
    }
    return kNothing;
  }

 private:
  static bool Before(const GraphNodeRecord& a, const GraphNodeRecord& b) {
    return std::tuple(a.node, a.time) < std::tuple(b.node, b.time);
  }

  std::vector<GraphNodeRecord> records_;
};

HashSet<int64_t> AutogradThreads(const std::vector<wire::ThreadRecord>& threads,
                                 const Texts& texts) {
  HashSet<int64_t> autograd;
  for (const wire::ThreadRecord& thread : threads) {
    if (Contains(texts.Find(thread.name).value_or(""), "autograd")) autograd.insert(thread.thread);
  }
  return autograd;
}

void NameWork(const Nodes& nodes, const std::vector<NamedOp>& ops, const CaptureSweep& sweep,
              RowPart& rows) {
  TracePart& part = rows.part();
  const GpuActivitiesTable& gpu = part.tables.gpu;
  GpuExtrasTable& extras = part.tables.gpu_extras;
  HashMap<StringId, StringId> texts;  // from text ids of the sweep to those of the part
  const auto text = [&](StringId id) {
    const auto [at, added] = texts.try_emplace(id, StringId::kEmpty);
    if (added) at->second = part.Intern(sweep.Text(id));
    return at->second;
  };
  for (size_t i = 0; i < gpu.start.size(); ++i) {
    if (!IsSet(gpu.extra[i])) continue;
    const size_t extra = Index(gpu.extra[i]);
    const uint32_t node = nodes.CapturedAs(extras.graph_node[extra], gpu.start[i]);
    if (node == Nodes::kNothing || ops[node].name == StringId::kEmpty) continue;
    extras.op_name[extra] = text(ops[node].name);
    extras.op_type[extra] = text(ops[node].type);
    extras.op_path[extra] = text(ops[node].path);
  }
}

}  // namespace

void NameGraphWork(const std::vector<GraphNodeRecord>& records,
                   const std::vector<const RowPart*>& hosts,
                   const std::vector<wire::ThreadRecord>& threads,
                   const std::vector<RowPart*>& gpu_parts) {
  if (records.empty() || gpu_parts.empty()) return;
  const Nodes nodes(records);
  const std::vector<uint32_t> by_time = nodes.ByTime();
  CaptureSweep sweep(hosts, AutogradThreads(threads, gpu_parts.front()->file().texts),
                     nodes.records()[by_time.front()].time, nodes.records()[by_time.back()].time);
  std::vector<NamedOp> ops(nodes.records().size());
  for (const uint32_t row : by_time) {
    const GraphNodeRecord& node = nodes.records()[row];
    if (node.cloned_from == 0) ops[row] = sweep.OpAt(node.thread, node.time);
  }
  for (RowPart* part : gpu_parts) NameWork(nodes, ops, sweep, *part);
}

}  // namespace warpsight::importers::capture
