#include "analysis/whatif/handover.h"

#include <algorithm>
#include <utility>

namespace warpsight {
namespace {

// A thread that is idle for this long while another one works is considered waiting for it. Handing
// work to PyTorch's autograd thread takes 10 to 50 us.
constexpr DurationNs kPause = 20'000;

// Iterates over a set of times with windows that only move forward.
class Cursor {
 public:
  explicit Cursor(const IntervalSet& set) : intervals_(set.intervals()) {}

  // The longest interval of `window` outside the set.
  Interval LongestPause(Interval window) {
    Advance(window.start);
    Interval longest = {window.start, window.start};
    TimeNs from = window.start;
    const auto consider = [&](TimeNs until) {
      if (until - from > longest.end - longest.start) longest = {from, until};
    };
    for (size_t i = at_; i < intervals_.size() && intervals_[i].start < window.end; ++i) {
      consider(intervals_[i].start);
      from = std::max(from, intervals_[i].end);
    }
    consider(window.end);
    return longest;
  }

 private:
  void Advance(TimeNs time) {
    while (at_ < intervals_.size() && intervals_[at_].end <= time) ++at_;
  }

  const std::vector<Interval>& intervals_;
  size_t at_ = 0;
};

// The calls of one group's threads, ordered by end: finds the call of another thread that ended
// last before a time. A trace may have a hundred thousand threads, so searching all of them would
// be too slow.
class CallsByEnd {
 public:
  struct Call {
    TimeNs end;
    size_t thread;
    uint32_t node;
  };

  // Calls of one thread must be added in order.
  void Add(const Call& call) { calls_.push_back(call); }

  // Must be called after the last Add(). Of calls that end at the same time, those of the first
  // thread come first.
  void Sort() {
    std::stable_sort(calls_.begin(), calls_.end(), [](const Call& a, const Call& b) {
      return a.end != b.end ? a.end < b.end : a.thread > b.thread;
    });
    previous_other_.resize(calls_.size(), kNoCall);
    for (size_t i = 1; i < calls_.size(); ++i) {
      previous_other_[i] =
          calls_[i - 1].thread != calls_[i].thread ? i - 1 : previous_other_[i - 1];
    }
  }

  // The last call that ends at or before `time` and is not of `thread`, or null.
  const Call* LastBefore(TimeNs time, size_t thread) const {
    const auto after = std::partition_point(calls_.begin(), calls_.end(),
                                            [&](const Call& call) { return call.end <= time; });
    if (after == calls_.begin()) return nullptr;
    auto at = static_cast<size_t>(after - calls_.begin()) - 1;
    if (calls_[at].thread == thread) at = previous_other_[at];
    return at == kNoCall ? nullptr : &calls_[at];
  }

 private:
  static constexpr size_t kNoCall = SIZE_MAX;

  std::vector<Call> calls_;
  std::vector<size_t> previous_other_;  // by call: the previous call of another thread
};

class HandoverFinder {
 public:
  HandoverFinder(const Trace& trace, std::span<const std::vector<uint32_t>> thread_calls,
                 const GpuGroups& groups, std::span<StepGraph> graphs, const CpuTimes& active)
      : trace_(trace),
        thread_calls_(thread_calls),
        groups_(groups),
        graphs_(graphs),
        active_(active) {}

  void Run() {
    FindLeaders();
    CollectGroups();
    for (size_t t = 0; t < thread_calls_.size(); ++t) {
      if (!thread_calls_[t].empty() && of_group_[GroupOf(t)].threads > 1) FindFor(t);
    }
  }

 private:
  size_t GroupOf(size_t thread) const { return groups_.GroupOf(MakeId<ThreadId>(thread)); }

  // Finds the thread that runs the program's loop: the one with the longest user ranges.
  void FindLeaders() {
    const HostRangesTable& host = trace_.tables.host;
    std::vector<DurationNs> annotated(thread_calls_.size());
    for (size_t h = 0; h < host.start.size(); ++h) {
      if (host.kind[h] == HostKind::kAnnotation) {
        annotated[Index(host.thread[h])] += host.duration[h];
      }
    }
    leader_.assign(graphs_.size(), SIZE_MAX);
    for (size_t t = 0; t < thread_calls_.size(); ++t) {
      if (thread_calls_[t].empty()) continue;
      size_t& leader = leader_[GroupOf(t)];
      if (leader == SIZE_MAX || annotated[t] > annotated[leader]) leader = t;
    }
  }

  void CollectGroups() {
    of_group_.resize(graphs_.size());
    std::vector<std::vector<Interval>> active(graphs_.size());
    for (size_t t = 0; t < thread_calls_.size(); ++t) {
      if (thread_calls_[t].empty()) continue;
      const size_t s = GroupOf(t);
      ++of_group_[s].threads;
      const std::vector<Interval>& times = active_[t].intervals();
      active[s].insert(active[s].end(), times.begin(), times.end());
      for (const uint32_t c : thread_calls_[t]) {
        of_group_[s].calls.Add({EndOf(graphs_[s].calls[c]), t, c});
      }
    }
    for (size_t s = 0; s < of_group_.size(); ++s) {
      of_group_[s].calls.Sort();
      of_group_[s].active = IntervalSet::FromUnsorted(std::move(active[s]));
    }
  }

  void FindFor(size_t thread) {
    const Group& group = of_group_[GroupOf(thread)];
    StepGraph& graph = graphs_[GroupOf(thread)];
    Cursor own(active_[thread]);
    for (const uint32_t c : thread_calls_[thread]) {
      CallNode& call = graph.calls[c];
      if (call.work < kPause) continue;
      const Interval pause = own.LongestPause(call.measured);
      const DurationNs length = pause.end - pause.start;
      if (length < kPause) continue;
      // Between ops, the loop's own thread runs the interpreter, which is not recorded: it is
      // considered waiting only if others work most of the time. Other threads work only on
      // request. Since the thread itself is idle in its pause, all work in that time is that of
      // others.
      const DurationNs others_work = group.active.LengthWithin(pause);
      const bool leads = leader_[GroupOf(thread)] == thread;
      if (leads ? 2 * others_work < length : others_work == 0) continue;
      const CallsByEnd::Call* last = group.calls.LastBefore(pause.end, thread);
      // If the other's work ended before the pause began, the thread did not wait for it.
      if (last != nullptr && last->end >= pause.start) Tie(*last, pause.end, call);
    }
  }

  // `call` resumes at `time`, after the call of another thread that ended last before that.
  static void Tie(const CallsByEnd::Call& last, TimeNs time, CallNode& call) {
    call.handover = last.node;
    call.handover_delay = time - last.end;
    call.work = call.measured.end - time;
    call.measured.start = time;
  }

  TimeNs EndOf(const CallNode& call) const {
    if (!IsSet(call.api)) return std::max(call.measured.end, call.resumed);
    const ApiCallsTable& api = trace_.tables.api;
    return api.start[Index(call.api)] + api.duration[Index(call.api)];
  }

  const Trace& trace_;
  std::span<const std::vector<uint32_t>> thread_calls_;
  const GpuGroups& groups_;
  std::span<StepGraph> graphs_;
  const CpuTimes& active_;
  // The calls and active times of all threads of one group.
  struct Group {
    size_t threads = 0;
    IntervalSet active;
    CallsByEnd calls;
  };
  std::vector<size_t> leader_;  // by group
  std::vector<Group> of_group_;
};

}  // namespace

void CountHostRanges(const Trace& trace, std::span<const std::vector<uint32_t>> thread_calls,
                     const GpuGroups& groups, std::span<StepGraph> graphs) {
  const HostRangesTable& host = trace.tables.host;
  std::vector<size_t> at(thread_calls.size());
  for (size_t h = 0; h < host.start.size(); ++h) {
    const std::vector<uint32_t>& calls = thread_calls[Index(host.thread[h])];
    if (calls.empty()) continue;
    if (host.kind[h] == HostKind::kOverhead || host.kind[h] == HostKind::kSpan) continue;
    StepGraph& graph = graphs[groups.GroupOf(host.thread[h])];
    size_t& next = at[Index(host.thread[h])];
    while (next < calls.size() && graph.calls[calls[next]].measured.end < host.start[h]) ++next;
    if (next == calls.size()) continue;
    CallNode& call = graph.calls[calls[next]];
    if (host.start[h] >= call.measured.start) ++call.host_ranges;
  }
}

CpuTimes ActiveTimes(const Trace& trace, const std::vector<bool>& launching) {
  std::vector<std::vector<Interval>> ops(launching.size());
  std::vector<std::vector<Interval>> calls(launching.size());
  const auto add = [&](const auto& table, size_t row, std::vector<std::vector<Interval>>& to) {
    const size_t thread = Index(table.thread[row]);
    if (!launching[thread]) return;
    const Interval time = {table.start[row], table.start[row] + table.duration[row]};
    // Ranges nested in the previous one add nothing.
    if (to[thread].empty() || time.end > to[thread].back().end) to[thread].push_back(time);
  };
  const HostRangesTable& host = trace.tables.host;
  for (size_t h = 0; h < host.start.size(); ++h) {
    if (host.kind[h] == HostKind::kOp) add(host, h, ops);
  }
  const ApiCallsTable& api = trace.tables.api;
  for (size_t a = 0; a < api.start.size(); ++a) add(api, a, calls);
  CpuTimes active(launching.size());
  for (size_t t = 0; t < active.size(); ++t) {
    active[t] = IntervalSet::FromSorted(ops[t]).Union(IntervalSet::FromSorted(calls[t]));
  }
  return active;
}

void FindHandovers(const Trace& trace, const CpuTimes& active,
                   std::span<const std::vector<uint32_t>> thread_calls, const GpuGroups& groups,
                   std::span<StepGraph> graphs) {
  HandoverFinder(trace, thread_calls, groups, graphs, active).Run();
}

}  // namespace warpsight
