#include "analysis/facts/marked_functions.h"

#include <algorithm>

namespace warpsight {

std::vector<bool> SourcesWithMarkedFunctions(const Trace& trace) {
  std::vector<bool> marked(RowCount(trace.tables.sources));
  const auto& paths = trace.tables.host_extras.module_hierarchy;
  const bool any = std::any_of(paths.begin(), paths.end(), [&](StringId path) {
    return path != StringId::kEmpty && IsFunctionPlace(trace.Text(path));
  });
  if (!any) return marked;
  const HostRangesTable& host = trace.tables.host;
  for (size_t h = 0; h < host.start.size(); ++h) {
    if (IsFunctionPlace(trace.RecordedPath(h))) {
      marked[Index(trace.SourceOf(host.thread[h]))] = true;
    }
  }
  return marked;
}

}  // namespace warpsight
