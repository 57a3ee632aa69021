#include "analysis/accounting/step_memory.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/intervals.h"

namespace warpsight {
namespace {

constexpr int64_t kCpu = 0;  // memory_events.device_type

// The largest totals recorded in the interval. `rows` are rows of memory_events in time order.
StepMemory::Peak LargestWithin(const MemoryEventsTable& events, const std::vector<size_t>& rows,
                               Interval interval) {
  StepMemory::Peak largest;
  auto row = std::upper_bound(rows.begin(), rows.end(), interval.start,
                              [&](TimeNs time, size_t event) { return time < events.time[event]; });
  if (row != rows.begin()) --row;  // the amount allocated when the interval began
  for (; row != rows.end() && events.time[*row] <= interval.end; ++row) {
    largest.allocated = std::max(largest.allocated, events.total_allocated[*row]);
    largest.reserved = std::max(largest.reserved, events.total_reserved[*row]);
  }
  return largest;
}

}  // namespace

std::vector<StepMemory> FindStepMemory(ProfileView profile) {
  const MemoryEventsTable& events = profile.trace.tables.memory;
  const IterationsTable& iterations = profile.facts.iterations;
  std::map<std::tuple<SourceId, bool, int64_t>, std::vector<size_t>> rows;
  for (size_t i = 0; i < RowCount(events); ++i) {
    if (events.total_allocated[i] == kMissing) continue;
    const bool on_gpu = events.device_type[i] != kCpu;
    rows[{profile.trace.SourceOf(events.thread[i]), on_gpu, events.device[i]}].push_back(i);
  }
  std::vector<StepMemory> all;
  for (const auto& [key, of_device] : rows) {
    const auto& [source, on_gpu, device] = key;
    StepMemory memory{source, !on_gpu, device, {}};
    memory.largest.resize(RowCount(iterations));
    for (size_t i = 0; i < RowCount(iterations); ++i) {
      if (iterations.source[i] != source) continue;
      memory.largest[i] =
          LargestWithin(events, of_device, {iterations.start[i], iterations.end[i]});
    }
    all.push_back(std::move(memory));
  }
  return all;
}

}  // namespace warpsight
