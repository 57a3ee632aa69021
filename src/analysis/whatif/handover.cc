#include "analysis/whatif/handover.h"

#include <algorithm>

namespace warpsight {
namespace {

// A thread that does nothing for so long while another works is waiting for it. Handing work to
// PyTorch's autograd thread takes 10 to 50 us.
constexpr DurationNs kPause = 20'000;

// Walks over a set of times with windows that only move forward.
class Cursor {
 public:
  explicit Cursor(const IntervalSet& set) : intervals_(set.intervals()) {}

  // The longest stretch of `window` outside the set.
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

class HandoverFinder {
 public:
  HandoverFinder(const Trace& trace, std::span<const std::vector<uint32_t>> thread_calls,
                 std::span<StepGraph> graphs, const CpuTimes& active)
      : trace_(trace), thread_calls_(thread_calls), graphs_(graphs), active_(active) {}

  void Run() {
    FindLeaders();
    for (size_t t = 0; t < thread_calls_.size(); ++t) {
      if (thread_calls_[t].empty()) continue;
      std::vector<size_t> others;
      for (size_t o = 0; o < thread_calls_.size(); ++o) {
        if (o != t && !thread_calls_[o].empty() && SourceOf(o) == SourceOf(t)) others.push_back(o);
      }
      if (!others.empty()) FindFor(t, others);
    }
  }

 private:
  size_t SourceOf(size_t thread) const { return Index(trace_.SourceOf(MakeId<ThreadId>(thread))); }

  // The thread that runs the program's loop: the one with the longest user ranges.
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
      size_t& leader = leader_[SourceOf(t)];
      if (leader == SIZE_MAX || annotated[t] > annotated[leader]) leader = t;
    }
  }

  void FindFor(size_t thread, const std::vector<size_t>& others) {
    IntervalSet working;
    for (const size_t o : others) working = working.Union(active_[o]);
    StepGraph& graph = graphs_[SourceOf(thread)];
    Cursor own(active_[thread]);
    for (const uint32_t c : thread_calls_[thread]) {
      CallNode& call = graph.calls[c];
      if (call.work < kPause) continue;
      const Interval pause = own.LongestPause(call.measured);
      const DurationNs length = pause.end - pause.start;
      if (length < kPause) continue;
      // Between ops the loop's own thread runs the interpreter, which leaves no trace: it waits
      // only where others work most of the time. Other threads do nothing unless they are told to.
      const DurationNs others_work = working.LengthWithin(pause);
      const bool leads = leader_[SourceOf(thread)] == thread;
      if (leads ? 2 * others_work < length : others_work == 0) continue;
      Tie(graph, call, pause.end, others);
    }
  }

  // `call` resumes at `time`, after the call of another thread that ended last before it.
  void Tie(StepGraph& graph, CallNode& call, TimeNs time, const std::vector<size_t>& others) const {
    uint32_t last = kNoNode;
    TimeNs latest = 0;
    for (const size_t o : others) {
      const std::vector<uint32_t>& calls = thread_calls_[o];
      const auto after = std::partition_point(
          calls.begin(), calls.end(), [&](uint32_t c) { return EndOf(graph.calls[c]) <= time; });
      if (after == calls.begin()) continue;
      const uint32_t candidate = *(after - 1);
      const TimeNs end = EndOf(graph.calls[candidate]);
      if (last == kNoNode || end > latest) {
        last = candidate;
        latest = end;
      }
    }
    if (last == kNoNode) return;
    call.handover = last;
    call.handover_delay = time - latest;
    call.work = call.measured.end - time;
    call.measured.start = time;
  }

  TimeNs EndOf(const CallNode& call) const {
    if (!IsSet(call.api)) return call.measured.end;
    const ApiCallsTable& api = trace_.tables.api;
    return api.start[Index(call.api)] + api.duration[Index(call.api)];
  }

  const Trace& trace_;
  std::span<const std::vector<uint32_t>> thread_calls_;
  std::span<StepGraph> graphs_;
  const CpuTimes& active_;
  std::vector<size_t> leader_;  // by source
};

}  // namespace

void CountHostRanges(const Trace& trace, std::span<const std::vector<uint32_t>> thread_calls,
                     std::span<StepGraph> graphs) {
  const HostRangesTable& host = trace.tables.host;
  std::vector<size_t> at(thread_calls.size());
  for (size_t h = 0; h < host.start.size(); ++h) {
    const std::vector<uint32_t>& calls = thread_calls[Index(host.thread[h])];
    if (calls.empty()) continue;
    if (host.kind[h] == HostKind::kOverhead || host.kind[h] == HostKind::kSpan) continue;
    StepGraph& graph = graphs[Index(trace.SourceOf(host.thread[h]))];
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
    // Ranges inside the last one add nothing.
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
                   std::span<const std::vector<uint32_t>> thread_calls,
                   std::span<StepGraph> graphs) {
  HandoverFinder(trace, thread_calls, graphs, active).Run();
}

}  // namespace warpsight
