#include "model/clean_stretches.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace warpsight {
namespace {

// Finds the unrecorded times of one GPU. Its work is passed in timeline order.
class UnrecordedTimes {
 public:
  // `stretches` must outlive it.
  explicit UnrecordedTimes(const std::vector<Interval>& stretches) : stretches_(stretches) {}

  // `launched`: the end of the call that launched the work, or kMissing.
  void Work(Interval work, TimeNs launched) {
    while (next_ < stretches_.size() && stretches_[next_].end <= work.start) {
      const TimeNs end = stretches_[next_].end;
      const bool first_after = next_ + 1 == stretches_.size() ||  //
                               stretches_[next_ + 1].end > work.start;
      const bool waited = first_after && launched != kMissing && launched >= end &&
                          work.start - launched > kLongLaunch;
      Close(waited ? work.start : end);
    }
    busy_until_ = std::max(busy_until_, work.end);
  }

  std::vector<Interval> Take() {
    while (next_ < stretches_.size()) Close(stretches_[next_].end);
    return std::move(times_);
  }

 private:
  void Close(TimeNs end) {
    TimeNs start = std::max(stretches_[next_++].start, busy_until_);
    if (!times_.empty()) start = std::max(start, times_.back().end);
    if (start < end) times_.push_back({start, end});
  }

  const std::vector<Interval>& stretches_;
  size_t next_ = 0;  // in stretches_
  TimeNs busy_until_ = 0;
  std::vector<Interval> times_;
};

}  // namespace

std::vector<IntervalSet> CleanStretches(const Trace& trace) {
  const CleanStretchesTable& t = trace.tables.clean_stretches;
  std::vector<IntervalSet> stretches(RowCount(trace.tables.sources));
  for (size_t i = 0; i < t.start.size(); ++i) {
    stretches[Index(t.source[i])].Append({t.start[i], t.start[i] + t.duration[i]});
  }
  return stretches;
}

std::vector<std::vector<Interval>> UnrecordedGpuTimes(const Trace& trace,
                                                      const SharedColumn<ApiId>& launched_by) {
  const TraceTables& tables = trace.tables;
  std::vector<std::vector<Interval>> result(RowCount(tables.devices));
  if (tables.clean_stretches.start.empty()) return result;
  const std::vector<IntervalSet> stretches = CleanStretches(trace);
  std::vector<UnrecordedTimes> gpus;
  gpus.reserve(result.size());
  for (const SourceId source : tables.devices.source) {
    gpus.emplace_back(stretches[Index(source)].intervals());
  }
  const GpuActivitiesTable& gpu = tables.gpu;
  for (size_t g = 0; g < gpu.start.size(); ++g) {
    const ApiId call = launched_by[g];
    const TimeNs launched =
        IsSet(call) ? tables.api.start[Index(call)] + tables.api.duration[Index(call)] : kMissing;
    gpus[Index(trace.DeviceOf(gpu.stream[g]))].Work({gpu.start[g], gpu.start[g] + gpu.duration[g]},
                                                    launched);
  }
  for (size_t d = 0; d < gpus.size(); ++d) result[d] = gpus[d].Take();
  return result;
}

}  // namespace warpsight
