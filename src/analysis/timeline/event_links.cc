#include "analysis/timeline/event_links.h"

#include <algorithm>
#include <utility>

namespace warpsight {
namespace {

// The maximum number of links per role.
constexpr size_t kMaxLinks = 100;

class LinkFinder {
 public:
  LinkFinder(const Timeline& timeline, ProfileView profile)
      : timeline_(timeline), tables_(profile.trace.tables), facts_(profile.facts) {}

  EventLinks Run(EventRef event) {
    const uint32_t row = event.row;
    switch (event.table) {
      case EventTable::kHost:
        AddHost(MakeId<HostId>(row));
        break;
      case EventTable::kApi:
        AddOne("op", EventTable::kHost, facts_.api.op[row]);
        AddWork([&](size_t g) { return facts_.gpu.api[g] == MakeId<ApiId>(row); });
        break;
      case EventTable::kGpu:
        AddOne("launch", EventTable::kApi, facts_.gpu.api[row]);
        AddOne("op", EventTable::kHost, facts_.gpu.op[row]);
        break;
      case EventTable::kGap:
        AddOne("next", EventTable::kGpu, facts_.gaps.next[row]);
        AddOne("op", EventTable::kHost, facts_.gaps.op[row]);
        break;
      case EventTable::kIteration:
      case EventTable::kAnnotation:
      case EventTable::kStretch:
        break;
    }
    return std::move(result_);
  }

 private:
  template <typename Id>
  void AddOne(std::string_view role, EventTable table, Id id) {
    if (!IsSet(id)) return;
    ++result_.total;
    result_.links.push_back({role, {table, static_cast<uint32_t>(Index(id))}});
  }

  // Adds at most kMaxLinks of the rows 0 .. rows - 1 that `wanted` selects, and counts all of them.
  void AddMany(std::string_view role, EventTable table, size_t rows, const auto& wanted) {
    size_t added = 0;
    for (size_t i = 0; i < rows; ++i) {
      if (!wanted(i)) continue;
      ++result_.total;
      if (added++ < kMaxLinks) {
        result_.links.push_back({role, {table, static_cast<uint32_t>(i)}});
      }
    }
  }

  void AddWork(const auto& wanted) {
    AddMany("work", EventTable::kGpu, tables_.gpu.start.size(), wanted);
  }

  void AddHost(HostId self) {
    const HostFactsTable& host = facts_.host;
    AddOne("parent", EventTable::kHost, host.parent[Index(self)]);
    AddOne("forward", EventTable::kHost, host.forward[Index(self)]);
    // Ops inside a backward op have the same forward op, so only the outermost one is used.
    AddMany("backward", EventTable::kHost, host.forward.size(), [&](size_t h) {
      if (host.forward[h] != self) return false;
      const HostId parent = host.parent[h];
      return !IsSet(parent) || host.forward[Index(parent)] != self;
    });
    AddWorkWithin(self);
  }

  // Adds GPU work that was launched on the range's thread during the range.
  void AddWorkWithin(HostId self) {
    const TimeNs start = tables_.host.start[Index(self)];
    const TimeNs end =
        start + std::clamp<DurationNs>(tables_.host.duration[Index(self)], 0, timeline_.end());
    const ThreadId thread = tables_.host.thread[Index(self)];
    AddWork([&](size_t g) {
      if (const ApiId call = facts_.gpu.api[g]; IsSet(call)) {
        const size_t a = Index(call);
        return tables_.api.start[a] >= start && tables_.api.start[a] < end &&
               tables_.api.thread[a] == thread;
      }
      const HostId op = facts_.gpu.op[g];
      if (!IsSet(op)) return false;
      const size_t h = Index(op);
      return op == self || (tables_.host.thread[h] == thread && h > Index(self) &&
                            tables_.host.start[h] >= start && tables_.host.start[h] < end);
    });
  }

  const Timeline& timeline_;
  const TraceTables& tables_;
  const FactTables& facts_;
  EventLinks result_;
};

// Finds rows with the same value in a column as the event's row, among those that `among` accepts.
template <typename T, typename Among>
SameName SameValue(const Column<T>& column, EventRef event, Among among) {
  SameName result;
  const T value = column[event.row];
  for (uint32_t i = 0; i < column.size(); ++i) {
    if (column[i] != value || !among(i)) continue;
    ++result.count;
    if (i < event.row) result.previous = EventRef{event.table, i};
    if (i > event.row && !result.next) result.next = EventRef{event.table, i};
  }
  return result;
}

}  // namespace

EventLinks LinksOf(const Timeline& timeline, ProfileView profile, EventRef event) {
  return LinkFinder(timeline, profile).Run(event);
}

SameName SameNameAs(ProfileView profile, EventRef event) {
  const TraceTables& tables = profile.trace.tables;
  const FactTables& facts = profile.facts;
  const auto any = [](uint32_t) { return true; };
  switch (event.table) {
    case EventTable::kHost:
      return SameValue(tables.host.name, event, any);
    case EventTable::kApi:
      return SameValue(tables.api.name, event, any);
    case EventTable::kGpu:
      return SameValue(tables.gpu.name, event, any);
    case EventTable::kGap:
      return SameValue(facts.gaps.cause.values(), event, [&](uint32_t i) {
        return facts.gaps.device[i] == facts.gaps.device[event.row];
      });
    case EventTable::kIteration:
      return SameValue(facts.iterations.source, event, any);
    case EventTable::kStretch:
      return SameValue(tables.clean_stretches.source, event, any);
    case EventTable::kAnnotation:
      break;
  }
  return SameValue(tables.gpu_annotations.name, event, any);
}

}  // namespace warpsight
