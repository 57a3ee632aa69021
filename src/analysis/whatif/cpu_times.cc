#include "analysis/whatif/cpu_times.h"

#include <utility>

#include "analysis/facts/range_names.h"

namespace warpsight {

CpuTimes CpuTimesCollector::Take() {
  CpuTimes times;
  times.reserve(lists_.size());
  for (auto& list : lists_) times.push_back(IntervalSet::FromUnsorted(std::move(list)));
  return times;
}

CpuTimes DataLoadingTimes(const Trace& trace) {
  const HostRangesTable& host = trace.tables.host;
  CpuTimesCollector times(trace);
  RangeNames names(trace);
  for (size_t h = 0; h < host.start.size(); ++h) {
    if (host.kind[h] != HostKind::kAnnotation || !names[host.name[h]].data_loading) continue;
    times.AddRow(host, h);
  }
  return times.Take();
}

}  // namespace warpsight
