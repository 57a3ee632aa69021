#include "model/trace.h"

#include <algorithm>

namespace warpsight {

std::vector<bool> SourcesWithTimeline(const Trace& trace) {
  std::vector<bool> timeline(RowCount(trace.tables.sources));
  for (const SourceId source : trace.tables.processes.source) timeline[Index(source)] = true;
  for (const SourceId source : trace.tables.devices.source) timeline[Index(source)] = true;
  return timeline;
}

size_t CountSourcesWithTimeline(const Trace& trace) {
  const std::vector<bool> timeline = SourcesWithTimeline(trace);
  return static_cast<size_t>(std::count(timeline.begin(), timeline.end(), true));
}

}  // namespace warpsight
