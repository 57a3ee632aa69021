#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/accounting/range_summary.h"
#include "analysis/accounting/window_breakdown.h"
#include "analysis/timeline/slice_lane.h"
#include "analysis/timeline/step_function.h"
#include "base/result.h"
#include "model/profile.h"

// The data of the viewer's timeline (docs/api.md, "Timeline").
namespace warpsight {

enum class LaneKind : uint8_t { kIterations, kUtilization, kQueue, kGaps, kStream, kThread };

// A GPU or a process, with the lanes that belong to it.
struct LaneGroup {
  bool is_gpu = false;
  std::string title, detail;
};
inline constexpr uint32_t kNoGroup = UINT32_MAX;
inline constexpr uint32_t kNoLane = UINT32_MAX;
// The number in JSON; missing for kNoLane.
inline int64_t LaneNumber(uint32_t lane) { return lane == kNoLane ? kMissing : lane; }

struct Lane {
  LaneKind kind = LaneKind::kThread;
  uint32_t group = kNoGroup;
  std::string title;
  uint32_t of = 0;      // row in sources, devices, streams or threads that it shows
  SliceLane slices;     // empty for iterations, which differ between aggregations
  StepFunction values;  // for utilization and queue
};

// Everything that is prepared once per trace: lanes, their slices in rows with levels of detail,
// and counters. Does not refer to the profile or depend on the aggregation, which is passed with
// each query. Immutable; safe to use from many threads.
class Timeline {
 public:
  // Uses all cores.
  static std::unique_ptr<const Timeline> Build(ProfileView profile);

  static constexpr int kBucketsLog = 10;  // number of buckets of a tile, as a power of two
  static constexpr size_t kBuckets = size_t{1} << kBucketsLog;

  // The end of the trace, at most 2^53 (the limit of JSON numbers); slices are clipped there.
  TimeNs end() const { return end_; }
  // A tile of level 0 is 2^span_log ns long: the smallest such length beyond the end.
  int span_log() const { return span_log_; }
  int max_level() const { return span_log_ - kBucketsLog; }

  const std::vector<LaneGroup>& groups() const { return groups_; }
  const std::vector<Lane>& lanes() const { return lanes_; }

  // The lane that shows an event, which must be a row of its table; kNoLane if there is none.
  uint32_t LaneOf(ProfileView profile, EventRef event) const;

  // The distinct names of host ranges, API calls and annotations, and those of GPU work.
  const std::vector<StringId>& names() const { return names_; }
  const std::vector<StringId>& gpu_names() const { return gpu_names_; }

  const WindowBreakdown& breakdown() const { return *breakdown_; }

  size_t MemoryBytes() const;

 private:
  friend class TimelineBuilder;
  Timeline() = default;

  TimeNs end_ = 0;
  int span_log_ = kBucketsLog;
  std::vector<LaneGroup> groups_;
  std::vector<Lane> lanes_;
  // Maps rows of the tables to lanes. Iterations of source s are in lane s.
  std::vector<uint32_t> lane_of_thread_, lane_of_stream_, gap_lane_of_device_;
  std::vector<StringId> names_, gpu_names_;
  std::unique_ptr<const WindowBreakdown> breakdown_;
};

// Whether the row exists.
bool Exists(ProfileView profile, EventRef event);
// The time of an event, clipped to the trace.
Interval TimesOf(const Timeline& timeline, ProfileView profile, EventRef event);

// Where the timeline shows an event, and with which category.
struct EventPlace {
  uint32_t lane = kNoLane;
  uint32_t depth = 0;
  Category category = Category::kOther;
};
EventPlace PlaceOf(const Timeline& timeline, ProfileView profile, const RangeSummary& range,
                   EventRef event);

// The slices of the lanes of iterations, by source: iterations and clean stretches.
std::vector<SliceLane> IterationLanes(const Timeline& timeline, ProfileView profile,
                                      const RangeSummary& range);

// The name under which the timeline shows an event: kernels by their short name.
std::string EventName(ProfileView profile, EventRef event);

// The groups and lanes as JSON. `stamp` identifies the profile's content.
std::string TimelineJson(const Timeline& timeline, ProfileView profile, const RangeSummary& range,
                         std::string_view stamp);

// One tile of the given lanes (of all if none is given), in the format of docs/api.md. Returns an
// Error for a level, an index or a lane that does not exist.
Result<std::string> Tile(const Timeline& timeline, ProfileView profile, const RangeSummary& range,
                         int64_t level, int64_t index, std::span<const uint32_t> lanes);

// All facts about one event ("gpu:123"), with links to related events. Returns an Error for an
// event that does not exist.
Result<std::string> EventJson(const Timeline& timeline, ProfileView profile,
                              const RangeSummary& range, std::string_view event);

// Events whose name contains `text`, ignoring ASCII case, ordered by start: at most `limit` of
// those that start at or after `after`. Returns an Error if the text is empty.
Result<std::string> SearchJson(const Timeline& timeline, ProfileView profile,
                               const RangeSummary& range, std::string_view text, int64_t limit,
                               TimeNs after);

// The time breakdown of [start, end), clipped to the trace. Returns an Error for an empty interval.
Result<std::string> SelectionJson(const Timeline& timeline, ProfileView profile, TimeNs start,
                                  TimeNs end);

// The longest intervals of the aggregated windows in which a GPU was idle.
std::string LongestGapsJson(const Timeline& timeline, ProfileView profile,
                            const RangeSummary& range, int64_t limit);

}  // namespace warpsight
