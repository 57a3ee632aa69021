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

// What the viewer's timeline shows of a profile (docs/api.md, "Timeline").
namespace warpsight {

enum class LaneKind : uint8_t { kIterations, kUtilization, kQueue, kGaps, kStream, kThread };

// A GPU or a process, with the lanes that belong to it.
struct LaneGroup {
  bool is_gpu = false;
  std::string title, detail;
};
inline constexpr uint32_t kNoGroup = UINT32_MAX;
inline constexpr uint32_t kNoLane = UINT32_MAX;
// As JSON has it: nothing for kNoLane.
inline int64_t LaneNumber(uint32_t lane) { return lane == kNoLane ? kMissing : lane; }

struct Lane {
  LaneKind kind = LaneKind::kThread;
  uint32_t group = kNoGroup;
  std::string title;
  uint32_t of = 0;      // the row that it stands for, in sources, devices, streams or threads
  SliceLane slices;     // empty for iterations, which differ between aggregations
  StepFunction values;  // of utilization and queue
};

// Everything that is prepared once for a trace: lanes, their slices in rows with levels of detail,
// and counters. Has no reference to the profile and does not depend on the aggregation, which is
// passed with each query. Immutable, safe from many threads.
class Timeline {
 public:
  // Uses all cores.
  static std::unique_ptr<const Timeline> Build(ProfileView profile);

  static constexpr int kBucketsLog = 10;  // buckets of a tile
  static constexpr size_t kBuckets = size_t{1} << kBucketsLog;

  // The trace's end, at most 2^53 (what a JSON number holds); slices are cut there.
  TimeNs end() const { return end_; }
  // A tile of level 0 is 2^span_log ns long: the first such that lies behind the end.
  int span_log() const { return span_log_; }
  int max_level() const { return span_log_ - kBucketsLog; }

  const std::vector<LaneGroup>& groups() const { return groups_; }
  const std::vector<Lane>& lanes() const { return lanes_; }

  // The lane that shows an event, which must be a row of its table; kNoLane where none does.
  uint32_t LaneOf(ProfileView profile, EventRef event) const;

  // Names of host ranges, API calls and annotations, and those of GPU work, each once.
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
  // Rows of the tables to lanes. Iterations of source s are in lane s.
  std::vector<uint32_t> lane_of_thread_, lane_of_stream_, gap_lane_of_device_;
  std::vector<StringId> names_, gpu_names_;
  std::unique_ptr<const WindowBreakdown> breakdown_;
};

// Whether there is such a row.
bool Exists(ProfileView profile, EventRef event);
// When an event was, cut to the trace.
Interval TimesOf(const Timeline& timeline, ProfileView profile, EventRef event);

// Where the timeline shows an event, and as what.
struct EventPlace {
  uint32_t lane = kNoLane;
  uint32_t depth = 0;
  Category category = Category::kOther;
};
EventPlace PlaceOf(const Timeline& timeline, ProfileView profile, const RangeSummary& range,
                   EventRef event);

// The slices of the lanes of iterations, by source.
std::vector<SliceLane> IterationLanes(const Timeline& timeline, ProfileView profile,
                                      const RangeSummary& range);

// The name under which the timeline shows an event: kernels by their short name.
std::string EventName(ProfileView profile, EventRef event);

// What there is to draw, as JSON. `stamp` names the profile's content.
std::string TimelineJson(const Timeline& timeline, ProfileView profile, const RangeSummary& range,
                         std::string_view stamp);

// One tile of the named lanes (all where none is named), in the format of docs/api.md. An error for
// a level, an index or a lane that does not exist.
Result<std::string> Tile(const Timeline& timeline, ProfileView profile, const RangeSummary& range,
                         int64_t level, int64_t index, std::span<const uint32_t> lanes);

// Everything about one event ("gpu:123"), with links to what it belongs to. An error for an event
// that does not exist.
Result<std::string> EventJson(const Timeline& timeline, ProfileView profile,
                              const RangeSummary& range, std::string_view event);

// Events whose name contains `text`, upper and lower case of A to Z alike, by start: at most
// `limit` of those that start at or after `after`. An error where there is nothing to look for.
Result<std::string> SearchJson(const Timeline& timeline, ProfileView profile,
                               const RangeSummary& range, std::string_view text, int64_t limit,
                               TimeNs after);

// The time breakdown of [start, end); both are clipped to the trace. An error for an empty
// interval.
Result<std::string> SelectionJson(const Timeline& timeline, ProfileView profile, TimeNs start,
                                  TimeNs end);

// The longest intervals of the aggregated windows in which a GPU was idle.
std::string LongestGapsJson(const Timeline& timeline, ProfileView profile,
                            const RangeSummary& range, int64_t limit);

}  // namespace warpsight
