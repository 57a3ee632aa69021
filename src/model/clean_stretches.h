#pragma once

#include <vector>

#include "base/intervals.h"
#include "model/shared_column.h"
#include "model/trace.h"

// What is not known because of clean stretches, in which a process ran without being recorded.
namespace warpsight {

// The clean stretches of each source.
std::vector<IntervalSet> CleanStretches(const Trace& trace);

// By GPU: the times of which nothing is known, in order and disjoint. They begin with a clean
// stretch of its process, or where the work ends that was launched before it. They end with the
// stretch; if the first work after it was launched and waited for longer than launches take, then
// with the start of that work, because the GPU was still busy with work that was not recorded.
// `launched_by` is the call that launched each activity.
std::vector<std::vector<Interval>> UnrecordedGpuTimes(const Trace& trace,
                                                      const SharedColumn<ApiId>& launched_by);

// Calls visit(part) for the parts of an interval without work of which the recording knows. `next`
// counts through the GPU's unrecorded times, and starts at 0 for its first interval.
template <typename Visit>
void VisitRecorded(Interval idle, const std::vector<Interval>& unrecorded, size_t& next,
                   Visit visit) {
  for (; next < unrecorded.size() && unrecorded[next].start < idle.end; ++next) {
    if (idle.start < unrecorded[next].start) visit(Interval{idle.start, unrecorded[next].start});
    idle.start = unrecorded[next].end;
  }
  if (idle.start < idle.end) visit(idle);
}

// If work waits longer than this after its launch, the reason is something other than the launch
// path, which takes 2 to 20 us on current GPUs.
inline constexpr DurationNs kLongLaunch = 50'000;

}  // namespace warpsight
