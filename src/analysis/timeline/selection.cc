#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/timeline/timeline.h"
#include "base/json_builder.h"

namespace warpsight {
namespace {

constexpr size_t kTop = 10;

// The events of an interval, summed by name.
class NameTotals {
 public:
  explicit NameTotals(size_t strings) : by_name_(strings) {}

  void Add(StringId name, DurationNs time, EventRef event) {
    Total& total = by_name_[Index(name)];
    if (total.count == 0) {
      total.name = name;
      used_.push_back(name);
    }
    if (total.count == 0 || time > total.longest) {
      total.longest = time;
      total.event = event;
    }
    ++total.count;
    total.time += time;
    ++count_;
    time_ += time;
  }

  int64_t count() const { return count_; }
  DurationNs time() const { return time_; }

  // The names with the most time, as JSON; `text` returns how a name is shown.
  template <typename TextOf>
  std::string Top(std::string_view time_name, TextOf text) const {
    std::vector<Total> top;
    top.reserve(used_.size());
    for (const StringId name : used_) top.push_back(by_name_[Index(name)]);
    const size_t shown = std::min(kTop, top.size());
    std::partial_sort(top.begin(), top.begin() + static_cast<ptrdiff_t>(shown), top.end(),
                      [](const Total& a, const Total& b) {
                        return a.time != b.time ? a.time > b.time : a.name < b.name;
                      });
    JsonArray list;
    for (size_t i = 0; i < shown; ++i) {
      list.Json(JsonObject()
                    .Text("name", text(top[i].event))
                    .Integer("count", top[i].count)
                    .Integer(time_name, top[i].time)
                    .Text("event", ToString(top[i].event))
                    .Take());
    }
    return list.Take();
  }

 private:
  struct Total {
    StringId name{};
    int64_t count = 0;
    DurationNs time = 0;
    DurationNs longest = 0;
    EventRef event;
  };
  std::vector<Total> by_name_;
  std::vector<StringId> used_;
  int64_t count_ = 0;
  DurationNs time_ = 0;
};

class Selection {
 public:
  Selection(const Timeline& timeline, ProfileView profile, Interval window)
      : timeline_(timeline),
        profile_(profile),
        window_(window),
        kernels_(profile.trace.strings.size()),
        ops_(profile.trace.strings.size()),
        calls_(profile.trace.strings.size()) {}

  std::string Run() {
    for (const Lane& lane : timeline_.lanes()) {
      if (lane.kind != LaneKind::kStream && lane.kind != LaneKind::kThread) continue;
      for (size_t row = 0; row < lane.slices.row_count(); ++row) {
        lane.slices.ForEachEvent(row, window_.start, window_.end,
                                 [&](EventRef event) { Add(event); });
      }
    }
    JsonObject json;
    json.Integer("start", window_.start).Integer("end", window_.end);
    AddTime(json);
    const auto name = [&](EventRef event) { return EventName(profile_, event); };
    const auto on_cpu = [&](const NameTotals& totals) {
      return JsonObject()
          .Integer("count", totals.count())
          .Json("top", totals.Top("cpu_ns", name))
          .Take();
    };
    return json
        .Json("kernels", JsonObject()
                             .Integer("count", kernels_.count())
                             .Integer("gpu_ns", kernels_.time())
                             .Json("top", kernels_.Top("gpu_ns", name))
                             .Take())
        .Json("ops", on_cpu(ops_))
        .Json("api", on_cpu(calls_))
        .Take();
  }

 private:
  void Add(EventRef event) {
    const TraceTables& tables = profile_.trace.tables;
    const Interval times = TimesOf(timeline_, profile_, event);
    const DurationNs inside =
        std::min(times.end, window_.end) - std::max(times.start, window_.start);
    if (inside < 0 || (inside == 0 && times.start < times.end)) return;
    switch (event.table) {
      case EventTable::kHost:
        // Ops that reports count: the outermost ones that are not wrappers, so that no time is
        // counted twice.
        if (profile_.facts.host.op[event.row] == MakeId<HostId>(event.row)) {
          ops_.Add(tables.host.name[event.row], inside, event);
        }
        break;
      case EventTable::kApi:
        calls_.Add(tables.api.name[event.row], inside, event);
        break;
      case EventTable::kGpu:
        if (tables.gpu.kind[event.row] == GpuKind::kKernel) {
          kernels_.Add(tables.gpu.name[event.row], inside, event);
        }
        break;
      case EventTable::kGap:
      case EventTable::kIteration:
      case EventTable::kAnnotation:
      case EventTable::kStretch:
        break;
    }
  }

  // 100 * part / whole with two decimals; null if the whole is 0.
  static std::string Percent(DurationNs part, DurationNs whole) {
    if (whole == 0) return "null";
    return fmt::format("{:.2f}", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
  }

  static std::string Share(std::string_view id, std::string_view name, DurationNs part,
                           DurationNs whole) {
    return JsonObject()
        .Text("id", id)
        .Text("name", name)
        .Integer("ns", part)
        .Json("percent", Percent(part, whole))
        .Take();
  }

  void AddTime(JsonObject& json) const {
    const std::vector<Interval> windows(RowCount(profile_.trace.tables.sources), window_);
    const GpuTime time = timeline_.breakdown().Within(profile_, windows);
    JsonArray resources;
    for (const LedgerEntry entry : time.View()) {
      resources.Json(Share(IdOf(entry), ToString(entry), time.Of(entry), time.capacity));
    }
    JsonArray causes;
    for (size_t i = 0; i < kIdleCauseCount; ++i) {
      const auto cause = static_cast<IdleCause>(i);
      causes.Json(Share(IdOf(cause), ToString(cause), time.Of(cause), time.capacity));
    }
    json.Integer("gpus", static_cast<int64_t>(time.gpus.size()))
        .Json("resources", resources.Take())
        .Json("idle", JsonObject()
                          .Integer("ns", time.idle)
                          .Json("percent", Percent(time.idle, time.capacity))
                          .Json("causes", causes.Take())
                          .Take());
  }

  const Timeline& timeline_;
  ProfileView profile_;
  Interval window_;
  NameTotals kernels_, ops_, calls_;
};

}  // namespace

Result<std::string> SelectionJson(const Timeline& timeline, ProfileView profile, TimeNs start,
                                  TimeNs end) {
  if (start >= end)
    return Error("the selection is empty: its start must be before its end", "bad-selection");
  const Interval window{std::max<TimeNs>(start, 0), std::min(end, timeline.end())};
  if (window.start >= window.end)
    return Error("the selection is outside the trace", "bad-selection");
  return Selection(timeline, profile, window).Run();
}

}  // namespace warpsight
