#include "analysis/accounting/waiting_calls.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "analysis/accounting/gpu_work.h"
#include "analysis/accounting/host_work.h"
#include "analysis/facts/range_names.h"
#include "base/text.h"

namespace warpsight {
namespace {

bool TouchesHost(CopyDirection direction) {
  return direction != CopyDirection::kDeviceToDevice && direction != CopyDirection::kPeerToPeer;
}

// Whether a copy blocks its caller: to host memory that is not pinned, or a call without "Async"
// (copies within the GPU return at once: "API synchronization behavior" of the CUDA runtime).
bool IsBlockingCopy(const Trace& trace, const FactTables& facts, size_t g) {
  const GpuActivitiesTable& gpu = trace.tables.gpu;
  if (gpu.kind[g] != GpuKind::kCopy || !IsSet(facts.gpu.api[g])) return false;
  const bool to_host = gpu.copy_direction[g] == CopyDirection::kDeviceToHost;
  if (to_host && gpu.host_memory[g] == HostMemory::kPageable) return true;
  const std::string_view call = trace.Text(trace.tables.api.name[Index(facts.gpu.api[g])]);
  return !Contains(call, "Async") && Contains(call, "Memcpy") && TouchesHost(gpu.copy_direction[g]);
}

// The role of a call in finding waits.
enum class CallRole : uint8_t { kOther, kLaunches, kBlockingCopy };

std::vector<CallRole> RolesOfCalls(const Trace& trace, const FactTables& facts) {
  std::vector<CallRole> roles(trace.tables.api.start.size(), CallRole::kOther);
  for (size_t g = 0; g < trace.tables.gpu.start.size(); ++g) {
    const ApiId call = facts.gpu.api[g];
    if (!IsSet(call)) continue;
    CallRole& role = roles[Index(call)];
    if (IsBlockingCopy(trace, facts, g)) {
      role = CallRole::kBlockingCopy;
    } else if (role == CallRole::kOther) {
      role = CallRole::kLaunches;
    }
  }
  return roles;
}

// Frameworks such as JAX do not wait in a CUDA call: they enqueue a host function after the work,
// which wakes the waiting thread. Until then, nothing is recorded on that thread.
class WaitsWithoutCall {
 public:
  WaitsWithoutCall(const Trace& trace, const FactTables& facts, const std::vector<bool>& launching)
      : trace_(trace), facts_(facts), threads_(launching.size()) {
    ByName<bool> is_callback(trace, IsHostCallback);
    const ApiCallsTable& api = trace.tables.api;
    for (size_t a = 0; a < api.start.size(); ++a) {
      const size_t thread = Index(api.thread[a]);
      if (launching[thread] && is_callback[api.name[a]]) {
        threads_[thread].callbacks.push_back(api.start[a]);
      }
    }
  }

  void AddTo(std::vector<HostWait>& waits) {
    const bool any = std::any_of(threads_.begin(), threads_.end(),
                                 [](const Thread& t) { return !t.callbacks.empty(); });
    if (!any) return;
    CollectLaunches();
    CollectMoments(trace_.tables.host);
    CollectMoments(trace_.tables.api);
    for (size_t t = 0; t < threads_.size(); ++t) FindOn(MakeId<ThreadId>(t), waits);
  }

 private:
  // A thread that is idle for this long is considered waiting. A launch takes a fifth of it.
  static constexpr DurationNs kPause = 50'000;
  // The longest time from the end of the GPU's work until the host function has run and the thread
  // resumes; 140 to 240 us were measured with JAX on an H200.
  static constexpr DurationNs kWakeUp = 500'000;
  // The share of the pauses during which the GPU finishes that must end shortly after it; if fewer
  // do, the match is considered chance.
  static constexpr double kMostly = 0.8;

  struct Launch {
    TimeNs start;
    TimeNs gpu_end;  // end of its work and of all work launched before it
    ApiId call;
  };
  struct Thread {
    std::vector<TimeNs> callbacks;  // starts of calls that enqueue a host function
    std::vector<Launch> launches;   // by start
    std::vector<TimeNs> moments;    // at which something recorded starts or ends
  };

  void CollectLaunches() {
    const ApiCallsTable& api = trace_.tables.api;
    const GpuActivitiesTable& gpu = trace_.tables.gpu;
    std::vector<TimeNs> ends(api.start.size(), -1);
    for (size_t g = 0; g < gpu.start.size(); ++g) {
      const ApiId call = facts_.gpu.api[g];
      if (!IsSet(call)) continue;
      TimeNs& end = ends[Index(call)];
      end = std::max(end, gpu.start[g] + gpu.duration[g]);
    }
    for (size_t a = 0; a < ends.size(); ++a) {
      Thread& thread = threads_[Index(api.thread[a])];
      if (ends[a] < 0 || thread.callbacks.empty()) continue;
      const TimeNs before = thread.launches.empty() ? 0 : thread.launches.back().gpu_end;
      thread.launches.push_back({api.start[a], std::max(before, ends[a]), MakeId<ApiId>(a)});
    }
  }

  template <typename Table>
  void CollectMoments(const Table& table) {
    for (size_t i = 0; i < table.start.size(); ++i) {
      Thread& thread = threads_[Index(table.thread[i])];
      if (thread.callbacks.empty()) continue;
      thread.moments.push_back(table.start[i]);
      thread.moments.push_back(table.start[i] + table.duration[i]);
    }
  }

  void FindOn(ThreadId id, std::vector<HostWait>& waits) {
    Thread& thread = threads_[Index(id)];
    std::sort(thread.moments.begin(), thread.moments.end());
    std::vector<HostWait> found;
    size_t finishes = 0;  // pauses during which the GPU finishes
    for (size_t i = 1; i < thread.moments.size(); ++i) {
      const TimeNs from = thread.moments[i - 1];
      const TimeNs to = thread.moments[i];
      if (to - from < kPause) continue;
      const Launch* last = LastLaunch(thread, from);
      if (last == nullptr || last->gpu_end < from + kPause || last->gpu_end >= to) continue;
      ++finishes;
      const DurationNs waking = to - last->gpu_end;
      if (waking <= kWakeUp && waking <= last->gpu_end - from) {
        found.push_back({id, from, to, kNone<ApiId>, last->call});
      }
    }
    if (static_cast<double>(found.size()) < kMostly * static_cast<double>(finishes)) return;
    waits.insert(waits.end(), found.begin(), found.end());
  }

  // The last launch before `time`, if a host function was enqueued after it; otherwise null.
  static const Launch* LastLaunch(const Thread& thread, TimeNs time) {
    const auto after =
        std::partition_point(thread.launches.begin(), thread.launches.end(),
                             [&](const Launch& launch) { return launch.start < time; });
    if (after == thread.launches.begin()) return nullptr;
    const Launch& last = *(after - 1);
    const auto callback =
        std::lower_bound(thread.callbacks.begin(), thread.callbacks.end(), last.start);
    return callback != thread.callbacks.end() && *callback < time ? &last : nullptr;
  }

  const Trace& trace_;
  const FactTables& facts_;
  std::vector<Thread> threads_;
};

// By API call: whether it counts as a separate host synchronization.
std::vector<bool> CountedCalls(const Trace& trace, const FactTables& facts) {
  const ApiCallsTable& api = trace.tables.api;
  const std::vector<CallRole> roles = RolesOfCalls(trace, facts);
  ByName<bool> is_sync(trace, IsSynchronization);
  std::vector<bool> counted(api.start.size());
  // After a blocking copy, waiting for the stream has nothing left to wait for, so it is not
  // counted.
  struct Last {
    bool blocking_copy = false;
    TimeNs end = 0;  // end of the last counted call; calls inside it are not counted
  };
  std::vector<Last> last(RowCount(trace.tables.threads));
  for (size_t a = 0; a < counted.size(); ++a) {
    Last& before = last[Index(api.thread[a])];
    const bool copy = roles[a] == CallRole::kBlockingCopy;
    if (!copy && !is_sync[api.name[a]]) {
      if (roles[a] == CallRole::kLaunches) before.blocking_copy = false;
      continue;
    }
    const bool inside = api.start[a] < before.end;
    const bool done =
        !copy && before.blocking_copy && Contains(trace.Text(api.name[a]), "StreamSynchronize");
    counted[a] = !inside && !done;
    if (counted[a]) before = {copy, api.start[a] + api.duration[a]};
  }
  return counted;
}

}  // namespace

std::vector<bool> WaitingCalls(const Trace& trace, const FactTables& facts) {
  const std::vector<CallRole> roles = RolesOfCalls(trace, facts);
  ByName<bool> is_sync(trace, IsSynchronization);
  std::vector<bool> waiting(roles.size());
  for (size_t a = 0; a < waiting.size(); ++a) {
    waiting[a] = roles[a] == CallRole::kBlockingCopy || is_sync[trace.tables.api.name[a]];
  }
  return waiting;
}

std::vector<HostWait> FindHostWaits(const Trace& trace, const FactTables& facts) {
  const ApiCallsTable& api = trace.tables.api;
  const std::vector<bool> launching = LaunchingThreads(trace, facts);
  const std::vector<bool> counted = CountedCalls(trace, facts);
  std::vector<HostWait> waits;
  for (size_t a = 0; a < counted.size(); ++a) {
    if (!counted[a] || !launching[Index(api.thread[a])]) continue;
    waits.push_back(
        {api.thread[a], api.start[a], api.start[a] + api.duration[a], MakeId<ApiId>(a)});
  }
  const size_t calls = waits.size();
  WaitsWithoutCall(trace, facts, launching).AddTo(waits);
  if (waits.size() > calls) {
    std::stable_sort(waits.begin(), waits.end(),
                     [](const HostWait& a, const HostWait& b) { return a.start < b.start; });
  }
  return waits;
}

}  // namespace warpsight
