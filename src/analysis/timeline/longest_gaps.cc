#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/timeline/timeline.h"
#include "base/json_builder.h"

namespace warpsight {
namespace {

constexpr int64_t kMaxGaps = 10'000;

// An interval in which a GPU ran nothing, clipped to the aggregated window.
struct IdleInterval {
  TimeNs start = 0;
  TimeNs end = 0;
  uint32_t main_piece = 0;  // row in gaps: the longest piece with a single cause
  DurationNs main_length = 0;
};

// Gaps are stored in pieces with a single cause; adjacent pieces are one interval.
std::vector<IdleInterval> FindIdleIntervals(ProfileView profile, const RangeSummary& range) {
  const GapsTable& gaps = profile.facts.gaps;
  std::vector<IdleInterval> intervals;
  DeviceId last_device = kNone<DeviceId>;
  TimeNs last_end = kMissing;
  for (uint32_t i = 0; i < gaps.start.size(); ++i) {
    const auto [start, end] = range.PartOfGap(profile, i);
    if (end <= start) continue;
    if (gaps.device[i] != last_device || start != last_end) intervals.push_back({start, end, i, 0});
    last_device = gaps.device[i];
    last_end = end;
    IdleInterval& stretch = intervals.back();
    stretch.end = end;
    if (end - start > stretch.main_length) {
      stretch.main_length = end - start;
      stretch.main_piece = i;
    }
  }
  return intervals;
}

}  // namespace

std::string LongestGapsJson(const Timeline& timeline, ProfileView profile,
                            const RangeSummary& range, int64_t limit) {
  std::vector<IdleInterval> intervals = FindIdleIntervals(profile, range);
  const size_t shown =
      std::min(static_cast<size_t>(std::clamp<int64_t>(limit, 0, kMaxGaps)), intervals.size());
  std::partial_sort(intervals.begin(), intervals.begin() + static_cast<ptrdiff_t>(shown),
                    intervals.end(), [](const IdleInterval& a, const IdleInterval& b) {
                      const DurationNs length_a = a.end - a.start;
                      const DurationNs length_b = b.end - b.start;
                      return length_a != length_b ? length_a > length_b : a.start < b.start;
                    });
  const GapsTable& gaps = profile.facts.gaps;
  JsonArray list;
  for (size_t i = 0; i < shown; ++i) {
    const IdleInterval& stretch = intervals[i];
    const EventRef event{EventTable::kGap, stretch.main_piece};
    const HostId op = gaps.op[stretch.main_piece];
    const std::string_view name =
        IsSet(op) ? profile.trace.Text(profile.trace.tables.host.name[Index(op)]) : "";
    list.Json(JsonObject()
                  .Text("event", ToString(event))
                  .Integer("start", stretch.start)
                  .Integer("duration", stretch.end - stretch.start)
                  .Integer("lane", LaneNumber(timeline.LaneOf(profile, event)))
                  .Text("cause", IdOf(gaps.cause[stretch.main_piece]))
                  .Text("op", name)
                  .Take());
  }
  return JsonObject().Json("gaps", list.Take()).Take();
}

}  // namespace warpsight
