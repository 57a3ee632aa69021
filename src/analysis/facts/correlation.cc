#include "analysis/facts/correlation.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/facts/marked_functions.h"
#include "model/hash_map.h"

namespace warpsight {
namespace {

using Key = std::pair<uint32_t, int64_t>;

// The scope in which ids are unique: a process if the file says which one owns a stream, otherwise
// the file.
class Scopes {
 public:
  explicit Scopes(const Trace& trace) : trace_(trace), by_process_(RowCount(trace.tables.sources)) {
    const StreamsTable& streams = trace.tables.streams;
    for (size_t s = 0; s < streams.process.size(); ++s) {
      if (IsSet(streams.process[s])) {
        by_process_[Index(trace.SourceOf(MakeId<StreamId>(s)))] = true;
      }
    }
  }

  uint32_t Of(ThreadId thread) const {
    return Scope(trace_.SourceOf(thread), trace_.tables.threads.process[Index(thread)]);
  }
  uint32_t Of(StreamId stream) const {
    return Scope(trace_.SourceOf(stream), trace_.tables.streams.process[Index(stream)]);
  }

 private:
  uint32_t Scope(SourceId source, ProcessId process) const {
    const size_t sources = by_process_.size();
    return static_cast<uint32_t>(
        by_process_[Index(source)] && IsSet(process) ? sources + Index(process) : Index(source));
  }

  const Trace& trace_;
  std::vector<bool> by_process_;
};

// API calls by correlation id; those without one by external id, since old ROCm versions of PyTorch
// record only an external id, the same for a launch and its work. An id may occur several times (a
// runtime call and the driver call inside it, or ids that were reset): calls with the same id form
// a chain, latest first. A file may give all calls the same id, so each call also has a link that
// skips many calls of its chain: a search takes a number of steps logarithmic in the length of the
// chain.
class CallIndex {
 public:
  CallIndex(const Trace& trace, const Scopes& scopes)
      : start_(trace.tables.api.start),
        earlier_(start_.size()),
        far_(start_.size()),
        place_(start_.size()) {
    const ApiCallsTable& api = trace.tables.api;
    by_correlation_.reserve(api.start.size());
    for (size_t a = 0; a < api.start.size(); ++a) {
      const uint32_t scope = scopes.Of(api.thread[a]);
      if (api.correlation[a] != kMissing) {
        Add(Key{scope, api.correlation[a]}, a, by_correlation_);
      } else if (api.external_id[a] != kMissing) {
        Add(Key{scope, api.external_id[a]}, a, by_external_id_);
      }
    }
  }

  // The latest call with the id that began before the work; if clocks disagree, the earliest one.
  ApiId FindByCorrelation(Key id, TimeNs work_start) const {
    return Find(by_correlation_, id, work_start);
  }
  ApiId FindByExternalId(Key id, TimeNs work_start) const {
    return Find(by_external_id_, id, work_start);
  }

 private:
  using LatestCalls = HashMap<Key, ApiId>;

  void Add(Key id, size_t call, LatestCalls& latest) {
    auto [it, first] = latest.try_emplace(id, MakeId<ApiId>(call));
    if (first) {
      earlier_[call] = far_[call] = static_cast<uint32_t>(call);
      return;
    }
    const auto before = static_cast<uint32_t>(Index(it->second));
    const uint32_t far = far_[before];
    const bool twice_as_far = place_[before] - place_[far] == place_[far] - place_[far_[far]];
    earlier_[call] = before;
    far_[call] = twice_as_far ? far_[far] : before;
    place_[call] = place_[before] + 1;
    it->second = MakeId<ApiId>(call);
  }

  ApiId Find(const LatestCalls& latest, Key id, TimeNs work_start) const {
    const auto it = latest.find(id);
    if (it == latest.end()) return kNone<ApiId>;
    // Calls are in timeline order, and so is a chain.
    size_t call = Index(it->second);
    while (start_[call] > work_start && place_[call] > 0) {
      call = start_[far_[call]] > work_start ? far_[call] : earlier_[call];
    }
    return MakeId<ApiId>(call);
  }

  const Column<TimeNs>& start_;
  // By call, within the chain of its id: the previous call, a call further back, and the number of
  // calls before it. The first call links to itself.
  std::vector<uint32_t> earlier_, far_, place_;
  LatestCalls by_correlation_, by_external_id_;
};

// Ops by external id, for work whose launch was not recorded.
HashMap<Key, HostId> OpsByExternalId(const Trace& trace, const Scopes& scopes) {
  HashMap<Key, HostId> ops;
  const HostRangesTable& host = trace.tables.host;
  for (size_t h = 0; h < host.start.size(); ++h) {
    if (host.kind[h] == HostKind::kOp && host.external_id[h] != kMissing) {
      ops.try_emplace(Key{scopes.Of(host.thread[h]), host.external_id[h]}, MakeId<HostId>(h));
    }
  }
  return ops;
}

}  // namespace

void CorrelateGpuWork(const Trace& trace, FactTables& facts) {
  const GpuActivitiesTable& gpu = trace.tables.gpu;
  const size_t rows = gpu.start.size();
  Column<ApiId>& api = facts.gpu.api.Edit();
  Column<HostId>& op = facts.gpu.op.Edit();
  api.assign(rows, kNone<ApiId>);
  op.assign(rows, kNone<HostId>);
  if (rows == 0) return;
  const Scopes scopes(trace);
  const CallIndex calls(trace, scopes);
  bool orphans = false;
  for (size_t g = 0; g < rows; ++g) {
    const uint32_t scope = scopes.Of(gpu.stream[g]);
    if (gpu.correlation[g] != kMissing) {
      api[g] = calls.FindByCorrelation(Key{scope, gpu.correlation[g]}, gpu.start[g]);
    } else if (gpu.external_id[g] != kMissing) {
      api[g] = calls.FindByExternalId(Key{scope, gpu.external_id[g]}, gpu.start[g]);
    }
    if (IsSet(api[g])) {
      op[g] = facts.api.op[Index(api[g])];
    } else {
      orphans = orphans || gpu.external_id[g] != kMissing;
    }
  }
  if (orphans) {
    const auto ops = OpsByExternalId(trace, scopes);
    for (size_t g = 0; g < rows; ++g) {
      if (IsSet(api[g]) || gpu.external_id[g] == kMissing) continue;
      const auto it = ops.find(Key{scopes.Of(gpu.stream[g]), gpu.external_id[g]});
      if (it != ops.end()) op[g] = it->second;
    }
  }
  // Work that a wrapper launched itself counts under the wrapper. In sources with marked functions
  // only these count, so such work has no op.
  const std::vector<bool> marked = SourcesWithMarkedFunctions(trace);
  Column<HostId>& counted = facts.host.op.Edit();
  for (size_t g = 0; g < rows; ++g) {
    if (!IsSet(op[g]) || IsSet(counted[Index(op[g])])) continue;
    if (marked[Index(trace.SourceOf(gpu.stream[g]))]) {
      op[g] = kNone<HostId>;
    } else {
      counted[Index(op[g])] = op[g];
    }
  }
}

}  // namespace warpsight
