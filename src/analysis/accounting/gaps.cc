#include "analysis/accounting/gaps.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/accounting/gpu_work.h"
#include "analysis/accounting/host_work.h"
#include "analysis/accounting/waiting_calls.h"
#include "analysis/facts/range_names.h"
#include "base/intervals.h"
#include "model/clean_stretches.h"
#include "model/hash_map.h"

namespace warpsight {
namespace {

// A host synchronization.
struct Wait {
  TimeNs start;
  TimeNs end;
  HostId op;
};

// What the launching threads of one source did, for queries about short windows.
struct LauncherActivity {
  IntervalSet data_loading, allocation, cpu;
  std::vector<Wait> waits;  // by start, on launching threads
  bool launches = false;    // whether launches were recorded

  // The wait during which the GPU ran out of work at `time`, or that ended at `time`.
  const Wait* WaitAt(TimeNs time) const {
    const auto after = std::partition_point(waits.begin(), waits.end(),
                                            [&](const Wait& w) { return w.start < time; });
    // Waits of several threads rarely overlap, so checking the last few is enough.
    for (auto it = after; it != waits.begin() && after - it < 4;) {
      --it;
      if (it->end >= time) return &*it;
    }
    return nullptr;
  }
};

enum class CallKind : uint8_t { kPlain, kAllocation, kStreamWait };

CallKind KindOfCall(std::string_view name) {
  if (IsAllocation(name)) return CallKind::kAllocation;
  return IsStreamWait(name) ? CallKind::kStreamWait : CallKind::kPlain;
}

std::vector<LauncherActivity> CollectActivity(const Trace& trace, const FactTables& facts) {
  const ApiCallsTable& api = trace.tables.api;
  const std::vector<bool> launching = LaunchingThreads(trace, facts);
  std::vector<HostWork> work = CollectHostWork(trace, facts);
  ByName<CallKind> kind_of_name(trace, KindOfCall);
  std::vector<LauncherActivity> result(work.size());
  std::vector<std::vector<Interval>> allocation(work.size());
  for (size_t a = 0; a < api.start.size(); ++a) {
    if (!launching[Index(api.thread[a])]) continue;
    const size_t source = Index(trace.SourceOf(api.thread[a]));
    const TimeNs end = api.start[a] + api.duration[a];
    if (kind_of_name[api.name[a]] == CallKind::kAllocation) {
      allocation[source].push_back({api.start[a], end});
    }
  }
  for (const HostWait& wait : FindHostWaits(trace, facts)) {
    const HostId op = IsSet(wait.call) ? facts.api.op[Index(wait.call)] : kNone<HostId>;
    result[Index(trace.SourceOf(wait.thread))].waits.push_back({wait.start, wait.end, op});
  }
  for (const ApiId call : facts.gpu.api) {
    if (IsSet(call)) result[Index(trace.SourceOf(api.thread[Index(call)]))].launches = true;
  }
  for (size_t s = 0; s < work.size(); ++s) {
    const auto take = [&](HostActivity activity) -> IntervalSet& {
      return work[s][static_cast<size_t>(activity)];
    };
    result[s].data_loading = std::move(take(HostActivity::kDataLoading));
    for (const HostActivity activity :
         {HostActivity::kLaunches, HostActivity::kCopies, HostActivity::kAllocation,
          HostActivity::kOtherCalls, HostActivity::kOps, HostActivity::kWaiting}) {
      result[s].cpu = result[s].cpu.Union(take(activity));
    }
    result[s].allocation = IntervalSet::FromSorted(allocation[s]);
  }
  return result;
}

// A call that makes the work enqueued after it in a stream wait.
struct StreamWait {
  TimeNs start;
  StreamId stream;  // kNone if the trace does not say which
};

// Stream waits by thread, in time order.
std::vector<std::vector<StreamWait>> CollectStreamWaits(const Trace& trace) {
  const ApiCallsTable& api = trace.tables.api;
  ByName<CallKind> kind_of_name(trace, KindOfCall);
  std::vector<std::vector<StreamWait>> waits(RowCount(trace.tables.threads));
  HashMap<std::pair<SourceId, int64_t>, std::pair<size_t, size_t>> places;
  for (size_t a = 0; a < api.start.size(); ++a) {
    if (kind_of_name[api.name[a]] != CallKind::kStreamWait) continue;
    const size_t thread = Index(api.thread[a]);
    if (api.correlation[a] != kMissing) {
      places[{trace.SourceOf(api.thread[a]), api.correlation[a]}] = {thread, waits[thread].size()};
    }
    waits[thread].push_back({api.start[a], kNone<StreamId>});
  }
  if (places.empty()) return waits;
  const SyncsTable& syncs = trace.tables.syncs;
  for (size_t i = 0; i < syncs.start.size(); ++i) {
    if (!IsSet(syncs.stream[i])) continue;
    const auto place = places.find({trace.SourceOf(syncs.stream[i]), syncs.correlation[i]});
    if (place == places.end()) continue;
    waits[place->second.first][place->second.second].stream = syncs.stream[i];
  }
  return waits;
}

// By GPU work: whether its thread enqueued a wait in its stream after launching the previous work
// in that stream.
std::vector<bool> FindHeldWork(const Trace& trace, const FactTables& facts) {
  const ApiCallsTable& api = trace.tables.api;
  const GpuActivitiesTable& gpu = trace.tables.gpu;
  const std::vector<std::vector<StreamWait>> waits = CollectStreamWaits(trace);
  std::vector<bool> held(gpu.start.size());
  // The work of a stream runs in the order of its launches.
  std::vector<TimeNs> launched_before(RowCount(trace.tables.streams), -1);
  for (size_t g = 0; g < gpu.start.size(); ++g) {
    const ApiId call = facts.gpu.api[g];
    if (!IsSet(call)) continue;
    const StreamId stream = gpu.stream[g];
    const TimeNs launch = api.start[Index(call)];
    TimeNs& before = launched_before[Index(stream)];
    const std::vector<StreamWait>& list = waits[Index(api.thread[Index(call)])];
    auto it = std::partition_point(list.begin(), list.end(),
                                   [&](const StreamWait& wait) { return wait.start < launch; });
    while (it != list.begin() && (it - 1)->start > before && !held[g]) {
      --it;
      held[g] = !IsSet(it->stream) || it->stream == stream;
    }
    before = std::max(before, launch);
  }
  return held;
}

class GapFinder {
 public:
  GapFinder(const Trace& trace, FactTables& facts)
      : trace_(trace),
        facts_(facts),
        classes_(trace, facts),
        activity_(CollectActivity(trace, facts)),
        held_(FindHeldWork(trace, facts)) {}

  void Run() {
    const GpuActivitiesTable& gpu = trace_.tables.gpu;
    const std::vector<std::vector<Interval>> unrecorded =
        UnrecordedGpuTimes(trace_, facts_.gpu.api);
    std::vector<std::vector<uint32_t>> rows(RowCount(trace_.tables.devices));
    for (uint32_t g = 0; g < gpu.start.size(); ++g) {
      rows[Index(trace_.DeviceOf(gpu.stream[g]))].push_back(g);
    }
    for (size_t d = 0; d < rows.size(); ++d) {
      const bool worked = std::any_of(rows[d].begin(), rows[d].end(),
                                      [&](uint32_t g) { return gpu.duration[g] > 0; });
      if (!worked) continue;  // the recording does not use this GPU
      TimeNs busy_until = 0;
      size_t next = 0;  // in unrecorded
      const auto idle_until = [&](TimeNs end, GpuId work) {
        VisitRecorded({busy_until, end}, unrecorded[d], next, [&](Interval gap) {
          Explain(MakeId<DeviceId>(d), gap, gap.end == end ? work : kNone<GpuId>);
        });
      };
      for (const uint32_t g : rows[d]) {
        idle_until(gpu.start[g], MakeId<GpuId>(g));
        busy_until = std::max(busy_until, gpu.start[g] + gpu.duration[g]);
      }
      idle_until(trace_.end, kNone<GpuId>);
    }
  }

 private:
  void Explain(DeviceId device, Interval gap, GpuId next) {
    const LauncherActivity& host = activity_[Index(trace_.tables.devices.source[Index(device)])];
    const ApiId call = IsSet(next) ? facts_.gpu.api[Index(next)] : kNone<ApiId>;
    TimeNs launched = gap.end;
    HostId op = kNone<HostId>;
    if (IsSet(call)) {
      const ApiCallsTable& api = trace_.tables.api;
      launched = std::clamp(api.start[Index(call)] + api.duration[Index(call)], gap.start, gap.end);
      op = facts_.gpu.op[Index(next)];
    }
    if (gap.start < launched) ExplainBefore(host, device, {gap.start, launched}, next, op);
    if (launched < gap.end) {
      Add(device, {launched, gap.end}, CauseAfter(launched, gap, next), next, op);
    }
  }

  // Explains the time until the launch returned: each moment gets the first cause with evidence.
  void ExplainBefore(const LauncherActivity& host, DeviceId device, Interval window, GpuId next,
                     HostId op) {
    const Wait* wait = host.WaitAt(window.start);
    const TimeNs synced = wait == nullptr
                              ? window.start
                              : std::min(window.end, window.start + (wait->end - wait->start));
    const IdleCause rest = CauseOfRest(host, window, next);
    auto data = FirstWithin(host.data_loading, window);
    auto allocation = FirstWithin(host.allocation, window);
    const auto covers = [](auto& it, const IntervalSet& set, TimeNs time) {
      while (it != set.intervals().end() && it->end <= time) ++it;
      return it != set.intervals().end() && it->start <= time;
    };
    const auto next_border = [](auto it, const IntervalSet& set, TimeNs time, TimeNs end) {
      if (it == set.intervals().end()) return end;
      return std::min(end, it->start > time ? it->start : it->end);
    };
    for (TimeNs from = window.start; from < window.end;) {
      const bool loads = covers(data, host.data_loading, from);
      const bool allocates = covers(allocation, host.allocation, from);
      TimeNs to = next_border(data, host.data_loading, from, window.end);
      IdleCause cause = rest;
      HostId cause_op = op;
      if (loads) {
        cause = IdleCause::kData;
      } else if (from < synced) {
        cause = IdleCause::kSync;
        cause_op = wait->op;
        to = std::min(to, synced);
      } else {
        if (allocates) cause = IdleCause::kAllocation;
        to = next_border(allocation, host.allocation, from, to);
      }
      Add(device, {from, to}, cause, next, cause_op);
      from = to;
    }
  }

  static std::vector<Interval>::const_iterator FirstWithin(const IntervalSet& set,
                                                           Interval window) {
    return std::partition_point(set.intervals().begin(), set.intervals().end(),
                                [&](const Interval& i) { return i.end <= window.start; });
  }

  // The launch had not returned, so this is host work of any kind. Without a launch, only recorded
  // host activity counts.
  IdleCause CauseOfRest(const LauncherActivity& host, Interval window, GpuId next) const {
    if (IsSet(next)) {
      if (IsSet(facts_.gpu.api[Index(next)])) return IdleCause::kHostWork;
      if (host.launches) return IdleCause::kUnknown;  // possibly launched before the recording
    }
    return host.cpu.LengthWithin(window) > 0 ? IdleCause::kHostWork : IdleCause::kUnknown;
  }

  // Explains the time after the launch returned.
  IdleCause CauseAfter(TimeNs launched, Interval gap, GpuId next) const {
    if (gap.end - launched <= kLongLaunch) return IdleCause::kLaunchLatency;
    if (classes_.Of(Index(next)) == Resource::kCommunication) return IdleCause::kOtherRank;
    return held_[Index(next)] ? IdleCause::kDependency : IdleCause::kUnknown;
  }

  void Add(DeviceId device, Interval piece, IdleCause cause, GpuId next, HostId op) {
    GapsTable& gaps = facts_.gaps;
    if (piece.end <= piece.start) return;
    if (!gaps.end.empty() && gaps.device.back() == device && gaps.end.back() == piece.start &&
        gaps.cause.back() == cause && gaps.next.back() == next && gaps.op.back() == op) {
      gaps.end.Edit().back() = piece.end;
      return;
    }
    gaps.device.push_back(device);
    gaps.start.push_back(piece.start);
    gaps.end.push_back(piece.end);
    gaps.cause.push_back(cause);
    gaps.next.push_back(next);
    gaps.op.push_back(op);
  }

  const Trace& trace_;
  FactTables& facts_;
  const GpuClasses classes_;
  std::vector<LauncherActivity> activity_;
  std::vector<bool> held_;  // by GPU work: a wait was enqueued in its stream before it
};

}  // namespace

void FindGaps(const Trace& trace, FactTables& facts) { GapFinder(trace, facts).Run(); }

}  // namespace warpsight
