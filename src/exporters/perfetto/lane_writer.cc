#include "exporters/perfetto/lane_writer.h"

#include <limits>

namespace warpsight::exporters::perfetto {

void LaneWriter::CloseUntil(Lane& lane, TimeNs time) {
  while (!lane.open.empty() && lane.open.back() <= time) {
    packets_.End(lane.open.back(), lane.track);
    lane.open.pop_back();
  }
}

void LaneWriter::Begin(SliceBegin& slice, DurationNs duration) {
  const TimeNs end = slice.time + duration;
  size_t index = 0;
  for (; index < lanes_.size(); ++index) {
    CloseUntil(lanes_[index], slice.time);
    if (lanes_[index].open.empty() || lanes_[index].open.back() >= end) break;
  }
  if (index == lanes_.size()) lanes_.push_back({further_(), {}});
  slice.track = lanes_[index].track;
  packets_.Begin(slice);
  lanes_[index].open.push_back(end);
}

void LaneWriter::Finish() {
  for (Lane& lane : lanes_) CloseUntil(lane, std::numeric_limits<TimeNs>::max());
}

}  // namespace warpsight::exporters::perfetto
