#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/timeline/timeline.h"
#include "base/json_text.h"

namespace warpsight {
namespace {

constexpr std::array<std::string_view, 6> kLaneKinds = {"iterations", "utilization", "queue",
                                                        "gaps",       "stream",      "thread"};

void AppendLane(size_t id, const Lane& lane, const SliceLane& slices, std::string& out) {
  fmt::format_to(std::back_inserter(out), R"({{"id": {}, "group": )", id);
  out += lane.group == kNoGroup ? "null" : std::to_string(lane.group);
  fmt::format_to(std::back_inserter(out), R"(, "kind": "{}", "title": )",
                 kLaneKinds[static_cast<size_t>(lane.kind)]);
  AppendJsonString(lane.title, out);
  fmt::format_to(std::back_inserter(out), R"(, "rows": {}, "events": {})",
                 std::max<size_t>(1, slices.row_count()), slices.event_count());
  if (lane.kind == LaneKind::kUtilization || lane.kind == LaneKind::kQueue) {
    fmt::format_to(std::back_inserter(out), R"(, "max": {})", lane.values.max());
  }
  out += '}';
}

// From the start of the first window to the end of the last one.
Interval AggregatedInterval(const RangeSummary& range) {
  Interval all{0, 0};
  for (const Interval& window : range.windows) {
    if (window.end <= window.start) continue;
    all.start = all.end == 0 ? window.start : std::min(all.start, window.start);
    all.end = std::max(all.end, window.end);
  }
  return all;
}

}  // namespace

std::string TimelineJson(const Timeline& timeline, ProfileView profile, const RangeSummary& range,
                         std::string_view stamp) {
  const std::vector<SliceLane> iterations = IterationLanes(timeline, profile, range);
  const Interval stretch = AggregatedInterval(range);
  std::string out = R"({"stamp": )";
  AppendJsonString(stamp, out);
  fmt::format_to(std::back_inserter(out),
                 R"(, "end": {}, "span": {}, "max_level": {}, "range": {{"start": {}, "end": {}}})",
                 timeline.end(), int64_t{1} << timeline.span_log(), timeline.max_level(),
                 stretch.start, stretch.end);
  out += R"(, "groups": [)";
  for (size_t g = 0; g < timeline.groups().size(); ++g) {
    const LaneGroup& group = timeline.groups()[g];
    fmt::format_to(std::back_inserter(out), R"({}{{"id": {}, "kind": "{}", "title": )",
                   g == 0 ? "" : ", ", g, group.is_gpu ? "gpu" : "process");
    AppendJsonString(group.title, out);
    out += R"(, "detail": )";
    AppendJsonString(group.detail, out);
    out += '}';
  }
  out += R"(], "lanes": [)";
  for (size_t l = 0; l < timeline.lanes().size(); ++l) {
    const Lane& lane = timeline.lanes()[l];
    if (l > 0) out += ", ";
    AppendLane(l, lane, lane.kind == LaneKind::kIterations ? iterations[lane.of] : lane.slices,
               out);
  }
  out += R"(], "categories": [)";
  for (size_t c = 0; c < kCategoryCount; ++c) {
    fmt::format_to(std::back_inserter(out), R"({}"{}")", c == 0 ? "" : ", ",
                   IdOf(static_cast<Category>(c)));
  }
  out += "]}";
  return out;
}

}  // namespace warpsight
