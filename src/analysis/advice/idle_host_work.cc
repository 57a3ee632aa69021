#include "analysis/advice/idle_host_work.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

namespace warpsight {
namespace {

constexpr uint32_t kNothing = UINT32_MAX;

// A time interval of a thread with the same innermost event.
struct Stretch {
  TimeNs start;
  TimeNs end;
  uint32_t event;  // kNothing if none was open
};

// A range or a call on a thread.
struct Event {
  TimeNs start;
  TimeNs end;
  StringId name;
  HostId host;  // kNone for calls
};

// Converts the events of one thread, ordered by start, to intervals that do not overlap.
std::vector<Stretch> Flatten(const std::vector<Event>& events) {
  std::vector<Stretch> stretches;
  std::vector<uint32_t> open;
  TimeNs from = 0;
  const auto until = [&](TimeNs time) {
    if (time > from) stretches.push_back({from, time, open.empty() ? kNothing : open.back()});
    from = std::max(from, time);
  };
  for (uint32_t e = 0; e < events.size(); ++e) {
    while (!open.empty() && events[open.back()].end <= events[e].start) {
      until(events[open.back()].end);
      open.pop_back();
    }
    until(events[e].start);
    open.push_back(e);
  }
  while (!open.empty()) {
    until(events[open.back()].end);
    open.pop_back();
  }
  return stretches;
}

class Collector {
 public:
  explicit Collector(const RuleInput& input)
      : input_(input), trace_(input.profile.trace), facts_(input.profile.facts) {}

  std::vector<IdleHostWork> Run() {
    CollectGaps();
    CollectEvents();
    std::vector<IdleHostWork> list;
    for (size_t t = 0; t < gaps_of_thread_.size(); ++t) {
      if (!gaps_of_thread_[t].empty()) Attribute(gaps_of_thread_[t], events_of_thread_[t]);
    }
    for (auto& [name, work] : by_name_) list.push_back(std::move(work));
    std::stable_sort(list.begin(), list.end(),
                     [](const IdleHostWork& a, const IdleHostWork& b) { return a.time > b.time; });
    return list;
  }

 private:
  // Collects the gaps by the thread that launches the next work.
  void CollectGaps() {
    gaps_of_thread_.resize(RowCount(trace_.tables.threads));
    const GapsTable& gaps = facts_.gaps;
    for (size_t i = 0; i < gaps.start.size(); ++i) {
      if (gaps.cause[i] != IdleCause::kHostWork || !IsSet(gaps.next[i])) continue;
      const Interval part = input_.range.PartOfGap(input_.profile, i);
      const ApiId call = facts_.gpu.api[Index(gaps.next[i])];
      if (part.end <= part.start || !IsSet(call)) continue;
      gaps_of_thread_[Index(trace_.tables.api.thread[Index(call)])].push_back(part);
    }
  }

  // Collects the events of those threads.
  void CollectEvents() {
    events_of_thread_.resize(gaps_of_thread_.size());
    const HostRangesTable& host = trace_.tables.host;
    for (size_t h = 0; h < host.start.size(); ++h) {
      const size_t thread = Index(host.thread[h]);
      if (gaps_of_thread_[thread].empty() || host.kind[h] == HostKind::kSpan) continue;
      events_of_thread_[thread].push_back(
          {host.start[h], host.start[h] + host.duration[h], host.name[h], MakeId<HostId>(h)});
    }
    const ApiCallsTable& api = trace_.tables.api;
    for (size_t a = 0; a < api.start.size(); ++a) {
      const size_t thread = Index(api.thread[a]);
      if (gaps_of_thread_[thread].empty()) continue;
      events_of_thread_[thread].push_back(
          {api.start[a], api.start[a] + api.duration[a], api.name[a], kNone<HostId>});
    }
    for (std::vector<Event>& events : events_of_thread_) {
      std::stable_sort(events.begin(), events.end(),
                       [](const Event& a, const Event& b) { return a.start < b.start; });
    }
  }

  void Attribute(const std::vector<Interval>& gaps, const std::vector<Event>& events) {
    const std::vector<Stretch> stretches = Flatten(events);
    for (const Interval& gap : gaps) {
      auto it = std::partition_point(stretches.begin(), stretches.end(),
                                     [&](const Stretch& s) { return s.end <= gap.start; });
      DurationNs covered = 0;
      for (; it != stretches.end() && it->start < gap.end; ++it) {
        const DurationNs time = std::min(it->end, gap.end) - std::max(it->start, gap.start);
        covered += time;
        Add(it->event == kNothing ? nullptr : &events[it->event], time);
      }
      Add(nullptr, gap.end - gap.start - covered);
    }
  }

  void Add(const Event* event, DurationNs time) {
    if (time <= 0) return;
    IdleHostWork& work =
        by_name_[event == nullptr ? "nothing recorded" : std::string(trace_.Text(event->name))];
    if (work.name.empty()) {
      work.name = event == nullptr ? "nothing recorded" : trace_.Text(event->name);
    }
    work.time += time;
    if (event == nullptr || !IsSet(event->host)) return;
    const DurationNs longest =
        IsSet(work.host) ? trace_.tables.host.duration[Index(work.host)] : -1;
    if (event->end - event->start > longest) work.host = event->host;
  }

  const RuleInput& input_;
  const Trace& trace_;
  const FactTables& facts_;
  std::vector<std::vector<Interval>> gaps_of_thread_;
  std::vector<std::vector<Event>> events_of_thread_;  // by start
  std::map<std::string, IdleHostWork> by_name_;
};

}  // namespace

std::vector<IdleHostWork> FindIdleHostWork(const RuleInput& input) {
  return Collector(input).Run();
}

}  // namespace warpsight
