#include "analysis/facts/nesting.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/facts/marked_functions.h"
#include "analysis/facts/named_op.h"
#include "model/hash_map.h"

namespace warpsight {
namespace {

// A range that is open on its thread, with the properties that its children inherit.
struct OpenRange {
  TimeNs end;
  HostId row;
  HostId innermost_op;
  HostId reported_op;
  Direction direction;
  StringId path;
};

constexpr OpenRange kNothingOpen{
    0, kNone<HostId>, kNone<HostId>, kNone<HostId>, Direction::kForward, StringId::kEmpty};

constexpr size_t kLongestPath = 4096;

// Joins module paths; each pair is joined once.
class PathJoiner {
 public:
  explicit PathJoiner(Trace& trace) : trace_(trace) {}

  StringId Join(StringId parent, StringId name) {
    auto [it, added] = joined_.try_emplace({parent, name}, StringId::kEmpty);
    if (!added) return it->second;
    // Limits the paths of deeply nested ranges.
    if (trace_.Text(parent).size() > kLongestPath) return it->second = parent;
    std::string_view part = trace_.Text(name);
    constexpr std::string_view kModule = "nn.Module: ";
    if (part.starts_with(kModule)) part.remove_prefix(kModule.size());
    std::string path(trace_.Text(parent));
    if (!path.empty()) path += '/';
    // Replace '/' in names, since it separates the levels of a path.
    for (const char c : part) path += c == '/' ? '|' : c;
    it->second = trace_.strings.Intern(path);
    return it->second;
  }

 private:
  Trace& trace_;
  HashMap<std::pair<StringId, StringId>, StringId> joined_;
};

// A name that ends in a number changes with every iteration and would split its group.
bool IsNumbered(std::string_view name) {
  return !name.empty() && name.back() >= '0' && name.back() <= '9';
}

class Sweep {
 public:
  Sweep(Trace& trace, RangeNames& names, FactTables& facts)
      : trace_(trace),
        names_(names),
        parent_(facts.host.parent.Edit()),
        op_(facts.host.op.Edit()),
        direction_(facts.host.direction.Edit()),
        op_of_call_(facts.api.op.Edit()),
        module_paths_(facts.module_paths),
        paths_(trace),
        stacks_(RowCount(trace.tables.threads)),
        autograd_(stacks_.size()),
        marked_(stacks_.size()) {
    const std::vector<bool> marked_sources = SourcesWithMarkedFunctions(trace);
    for (size_t i = 0; i < autograd_.size(); ++i) {
      marked_[i] = marked_sources[Index(trace.SourceOf(MakeId<ThreadId>(i)))];
      autograd_[i] =
          trace.Text(trace.tables.threads.name[i]).find("autograd") != std::string_view::npos;
    }
  }

  void Run() {
    const HostRangesTable& host = trace_.tables.host;
    const ApiCallsTable& api = trace_.tables.api;
    const size_t hosts = host.start.size();
    const size_t calls = api.start.size();
    parent_.resize(hosts);
    op_.resize(hosts);
    direction_.resize(hosts);
    op_of_call_.resize(calls);
    size_t h = 0;
    for (size_t a = 0; a < calls; ++a) {
      for (; h < hosts && host.start[h] <= api.start[a]; ++h) AddHost(h);
      op_of_call_[a] = Top(api.thread[a], api.start[a]).innermost_op;
    }
    for (; h < hosts; ++h) AddHost(h);
  }

 private:
  // The innermost range open on a thread at a time.
  const OpenRange& Top(ThreadId thread, TimeNs time) {
    auto& stack = stacks_[Index(thread)];
    while (!stack.empty() && stack.back().end <= time) stack.pop_back();
    return stack.empty() ? kNothingOpen : stack.back();
  }

  void AddHost(size_t h) {
    const HostRangesTable& host = trace_.tables.host;
    const HostKind kind = host.kind[h];
    const TimeNs end = host.start[h] + host.duration[h];
    OpenRange range = Top(host.thread[h], host.start[h]);
    parent_[h] = range.row;
    if (kind == HostKind::kOp) {
      OpenOp(h, range);
    } else if (kind == HostKind::kAnnotation) {
      OpenAnnotation(h, range);
    } else if (kind == HostKind::kModule) {
      range.path = paths_.Join(range.path, host.name[h]);
    }
    op_[h] = range.reported_op;
    direction_[h] = range.direction;
    const bool nests = kind == HostKind::kOp || kind == HostKind::kAnnotation ||
                       kind == HostKind::kModule || kind == HostKind::kPythonFunction;
    if (!nests) return;
    range.end = end;
    range.row = MakeId<HostId>(h);
    stacks_[Index(host.thread[h])].push_back(range);
  }

  void OpenOp(size_t h, OpenRange& range) {
    const HostRangesTable& host = trace_.tables.host;
    const RangeName& name = names_[host.name[h]];
    range.innermost_op = MakeId<HostId>(h);
    if (range.direction == Direction::kForward &&
        (name.autograd_wrapper || autograd_[Index(host.thread[h])])) {
      range.direction = Direction::kBackward;
    }
    if (IsSet(range.reported_op)) return;
    const bool counts =
        marked_[Index(host.thread[h])] ? IsFunctionPlace(trace_.RecordedPath(h)) : !name.wrapper;
    if (!counts) return;
    range.reported_op = range.innermost_op;
    const StringId path = HasScope(h) ? ScopeOf(h) : range.path;
    if (HasScope(h) && range.direction == Direction::kForward &&
        IsBackwardScope(trace_.Text(path))) {
      range.direction = Direction::kBackward;
    }
    if (path == StringId::kEmpty) return;
    module_paths_.op.push_back(range.reported_op);
    module_paths_.path.push_back(path);
  }

  StringId ScopeOf(size_t h) const {
    return trace_.tables.host_extras.module_hierarchy[Index(trace_.tables.host.extra[h])];
  }
  // Whether an op's path was recorded with it. If the op's type was recorded, its scope was
  // recorded too and may be empty.
  bool HasScope(size_t h) const {
    const HostExtraId extra = trace_.tables.host.extra[h];
    return IsSet(extra) && (ScopeOf(h) != StringId::kEmpty ||
                            trace_.tables.host_extras.op_type[Index(extra)] != StringId::kEmpty);
  }

  void OpenAnnotation(size_t h, OpenRange& range) {
    const StringId name = trace_.tables.host.name[h];
    const RangeName& meaning = names_[name];
    if (meaning.optimizer_step) range.direction = Direction::kOptimizer;
    if (meaning.data_loading) range.direction = Direction::kDataLoading;
    if (!meaning.step_marker && !IsNumbered(trace_.Text(name))) {
      range.path = paths_.Join(range.path, name);
    }
  }

  Trace& trace_;
  RangeNames& names_;
  Column<HostId>& parent_;
  Column<HostId>& op_;
  Column<Direction>& direction_;
  Column<HostId>& op_of_call_;
  ModulePathsTable& module_paths_;
  PathJoiner paths_;
  std::vector<std::vector<OpenRange>> stacks_;  // by thread
  std::vector<bool> autograd_;                  // by thread: PyTorch's backward threads
  std::vector<bool> marked_;                    // by thread: only marked functions count
};

// The last forward op of a process with a sequence number: several ops may have the same number,
// and the one that started last created the autograd node.
class ForwardOps {
 public:
  void Add(ProcessId process, int64_t sequence, size_t row) {
    last_[{process, sequence}] = MakeId<HostId>(row);
  }
  HostId Find(ProcessId process, int64_t sequence) const {
    const auto it = last_.find(std::pair{process, sequence});
    return it == last_.end() ? kNone<HostId> : it->second;
  }

 private:
  HashMap<std::pair<ProcessId, int64_t>, HostId> last_;
};

// Backward nodes of functions that PyProf marked count as separate ops, with everything inside
// them.
void CountBackwardNodes(const Trace& trace, RangeNames& names, HostFactsTable& derived) {
  Column<HostId>& op = derived.op.Edit();
  std::vector<HostId> node(op.size(), kNone<HostId>);
  for (size_t h = 0; h < op.size(); ++h) {
    if (IsSet(derived.parent[h])) node[h] = node[Index(derived.parent[h])];
    const HostId forward = derived.forward[h];
    if (!IsSet(node[h]) && IsSet(forward) && names[trace.tables.host.name[h]].backward_node) {
      const HostId function = op[Index(forward)];
      if (IsSet(function) && IsFunctionPlace(trace.RecordedPath(Index(function)))) {
        node[h] = MakeId<HostId>(h);
      }
    }
    const bool own = IsSet(op[h]) && IsFunctionPlace(trace.RecordedPath(Index(op[h])));
    if (IsSet(node[h]) && !own) op[h] = node[h];
  }
}

}  // namespace

void ComputeNesting(Trace& trace, RangeNames& names, FactTables& facts) {
  Sweep(trace, names, facts).Run();
}

void LinkForward(Trace& trace, RangeNames& names, FactTables& facts) {
  const HostRangesTable& host = trace.tables.host;
  HostFactsTable& derived = facts.host;
  const size_t rows = host.start.size();
  Column<HostId>& forward = derived.forward.Edit();
  forward.assign(rows, kNone<HostId>);
  ForwardOps forward_ops;
  bool any_backward = false;
  for (size_t h = 0; h < rows; ++h) {
    if (host.sequence[h] == kMissing || host.sequence[h] < 0) continue;
    const ProcessId process = trace.tables.threads.process[Index(host.thread[h])];
    if (derived.direction[h] == Direction::kForward) {
      forward_ops.Add(process, host.sequence[h], h);
    } else if (names[host.name[h]].autograd_wrapper) {
      forward[h] = forward_ops.Find(process, host.sequence[h]);
      any_backward = true;
    }
  }
  if (!any_backward) return;
  CountBackwardNodes(trace, names, derived);

  // Ops below a wrapper share its forward op, and take its module path if they have none.
  std::vector<StringId> path(rows, StringId::kEmpty);
  ModulePathsTable& paths = facts.module_paths;
  for (size_t i = 0; i < paths.op.size(); ++i) path[Index(paths.op[i])] = paths.path[i];
  paths = {};
  for (size_t h = 0; h < rows; ++h) {
    const HostId self = MakeId<HostId>(h);
    if (derived.direction[h] == Direction::kBackward && !IsSet(forward[h]) &&
        IsSet(derived.parent[h])) {
      forward[h] = forward[Index(derived.parent[h])];
    }
    if (derived.op[h] != self) continue;
    if (IsSet(forward[h])) {
      const HostId forward_op = derived.op[Index(forward[h])];
      if (IsSet(forward_op) && path[Index(forward_op)] != StringId::kEmpty) {
        path[h] = path[Index(forward_op)];
      }
    }
    if (path[h] == StringId::kEmpty) continue;
    paths.op.push_back(self);
    paths.path.push_back(path[h]);
  }
}

}  // namespace warpsight
