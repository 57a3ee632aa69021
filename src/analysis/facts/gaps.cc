#include "analysis/facts/gaps.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/facts/gpu_work.h"
#include "analysis/facts/range_names.h"
#include "analysis/facts/waiting_calls.h"
#include "base/intervals.h"
#include "base/text.h"

namespace warpsight {
namespace {

// Work that was launched but waits longer than this is held back by something else than the launch
// path, which takes 2 to 20 us on current GPUs.
constexpr DurationNs kLongLatency = 50'000;

// A call in which the host waited for the GPU.
struct Wait {
  TimeNs start;
  TimeNs end;
  HostId op;
};

// What the launching threads of one source did, for asking about short windows.
struct HostActivity {
  IntervalSet data_loading, allocation, cpu;
  std::vector<Wait> waits;                 // by start, on launching threads
  std::vector<TimeNs> cross_stream_waits;  // starts of cudaStreamWaitEvent and the like

  // The wait that was going on when the GPU ran dry at `time`, or ended just there.
  const Wait* WaitAt(TimeNs time) const {
    const auto after = std::partition_point(waits.begin(), waits.end(),
                                            [&](const Wait& w) { return w.start < time; });
    // Waits of several threads overlap rarely; looking back over a few finds the one that matters.
    for (auto it = after; it != waits.begin() && after - it < 4;) {
      --it;
      if (it->end >= time) return &*it;
    }
    return nullptr;
  }

  bool HasCrossStreamWait(TimeNs from, TimeNs to) const {
    const auto it = std::lower_bound(cross_stream_waits.begin(), cross_stream_waits.end(), from);
    return it != cross_stream_waits.end() && *it < to;
  }
};

enum class CallKind : uint8_t { kPlain, kAllocation, kStreamWait };

CallKind KindOfCall(std::string_view name) {
  if (IsAllocation(name)) return CallKind::kAllocation;
  return Contains(name, "StreamWaitEvent") ? CallKind::kStreamWait : CallKind::kPlain;
}

std::vector<HostActivity> CollectActivity(const Trace& trace, const FactTables& facts) {
  const ApiCallsTable& api = trace.tables.api;
  const std::vector<bool> launching = LaunchingThreads(trace, facts);
  std::vector<HostWork> work = CollectHostWork(trace, facts);
  const std::vector<bool> waiting = WaitingCalls(trace, facts);
  ByName<CallKind> kind_of_name(trace, KindOfCall);
  std::vector<HostActivity> result(work.size());
  std::vector<std::vector<Interval>> allocation(work.size());
  for (size_t a = 0; a < api.start.size(); ++a) {
    const CallKind kind = kind_of_name[api.name[a]];
    const size_t source = Index(trace.SourceOf(api.thread[a]));
    const TimeNs end = api.start[a] + api.duration[a];
    if (kind == CallKind::kStreamWait) result[source].cross_stream_waits.push_back(api.start[a]);
    if (!launching[Index(api.thread[a])]) continue;
    if (waiting[a]) {
      result[source].waits.push_back({api.start[a], end, facts.api.op[a]});
    }
    if (kind == CallKind::kAllocation) allocation[source].push_back({api.start[a], end});
  }
  for (size_t s = 0; s < work.size(); ++s) {
    result[s].data_loading = std::move(work[s].data_loading);
    result[s].cpu = std::move(work[s].cpu);
    result[s].allocation = IntervalSet::FromSorted(allocation[s]);
  }
  return result;
}

class GapFinder {
 public:
  GapFinder(const Trace& trace, FactTables& facts)
      : trace_(trace), facts_(facts), activity_(CollectActivity(trace, facts)) {}

  void Run() {
    const GpuActivitiesTable& gpu = trace_.tables.gpu;
    std::vector<std::vector<uint32_t>> rows(RowCount(trace_.tables.devices));
    for (uint32_t g = 0; g < gpu.start.size(); ++g) {
      rows[Index(trace_.DeviceOf(gpu.stream[g]))].push_back(g);
    }
    for (size_t d = 0; d < rows.size(); ++d) {
      const bool worked = std::any_of(rows[d].begin(), rows[d].end(),
                                      [&](uint32_t g) { return gpu.duration[g] > 0; });
      if (!worked) continue;  // a GPU that this program never used
      TimeNs busy_until = 0;
      for (const uint32_t g : rows[d]) {
        if (gpu.start[g] > busy_until) {
          Explain(MakeId<DeviceId>(d), {busy_until, gpu.start[g]}, MakeId<GpuId>(g));
        }
        busy_until = std::max(busy_until, gpu.start[g] + gpu.duration[g]);
      }
      if (busy_until < trace_.end) {
        Explain(MakeId<DeviceId>(d), {busy_until, trace_.end}, kNone<GpuId>);
      }
    }
  }

 private:
  void Explain(DeviceId device, Interval gap, GpuId next) {
    const HostActivity& host = activity_[Index(trace_.tables.devices.source[Index(device)])];
    const ApiId call = IsSet(next) ? facts_.gpu.api[Index(next)] : kNone<ApiId>;
    TimeNs launched = gap.end;
    HostId op = kNone<HostId>;
    if (IsSet(call)) {
      const ApiCallsTable& api = trace_.tables.api;
      launched = std::clamp(api.start[Index(call)] + api.duration[Index(call)], gap.start, gap.end);
      op = facts_.gpu.op[Index(next)];
    }
    TimeNs from = gap.start;
    if (const Wait* wait = host.WaitAt(gap.start); wait != nullptr && from < launched) {
      const TimeNs until = std::min(launched, from + (wait->end - wait->start));
      Add(device, {from, until}, GapCause::kSync, next, wait->op);
      from = until;
    }
    if (from < launched)
      Add(device, {from, launched}, CauseBefore(host, {from, launched}), next, op);
    if (launched < gap.end) {
      const bool held_back = gap.end - launched > kLongLatency &&
                             host.HasCrossStreamWait(gap.start - kLongLatency, gap.end);
      Add(device, {launched, gap.end}, held_back ? GapCause::kDependency : GapCause::kLaunchLatency,
          next, op);
    }
  }

  // What the launching threads did most between the end of the work before and the launch.
  static GapCause CauseBefore(const HostActivity& host, Interval window) {
    const DurationNs data = host.data_loading.LengthWithin(window);
    const DurationNs allocation = host.allocation.LengthWithin(window);
    const DurationNs cpu = host.cpu.LengthWithin(window) - allocation;
    const DurationNs unknown = window.end - window.start - std::max(data, allocation + cpu);
    const std::array shares = {
        std::pair{data, GapCause::kData}, std::pair{allocation, GapCause::kAllocation},
        std::pair{cpu, GapCause::kCpu}, std::pair{unknown, GapCause::kUnknown}};
    GapCause cause = GapCause::kUnknown;
    DurationNs largest = -1;
    for (const auto& [length, candidate] : shares) {
      if (length > largest) {
        largest = length;
        cause = candidate;
      }
    }
    // Between ops the interpreter runs: on a thread that is launching, that is CPU time as well.
    if (cause == GapCause::kUnknown && allocation + cpu > 0 && data == 0) return GapCause::kCpu;
    return cause;
  }

  void Add(DeviceId device, Interval piece, GapCause cause, GpuId next, HostId op) {
    GapsTable& gaps = facts_.gaps;
    if (piece.end <= piece.start) return;
    gaps.device.push_back(device);
    gaps.start.push_back(piece.start);
    gaps.end.push_back(piece.end);
    gaps.cause.push_back(cause);
    gaps.next.push_back(next);
    gaps.op.push_back(op);
  }

  const Trace& trace_;
  FactTables& facts_;
  std::vector<HostActivity> activity_;
};

}  // namespace

void FindGaps(const Trace& trace, FactTables& facts) { GapFinder(trace, facts).Run(); }

}  // namespace warpsight
