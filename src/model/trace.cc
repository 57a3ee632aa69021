#include "model/trace.h"

#include <algorithm>

#include "model/hash_map.h"

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

SourceFiles::SourceFiles(const Trace& trace) {
  HashMap<StringId, SourceId> by_path;
  for (const StringId path : trace.tables.sources.path) {
    const auto [at, added] = by_path.try_emplace(path, MakeId<SourceId>(first_.size()));
    first_.push_back(at->second);
    if (added) ++count_;
  }
}

}  // namespace warpsight
