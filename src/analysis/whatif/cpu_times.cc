#include "analysis/whatif/cpu_times.h"

#include "analysis/facts/range_names.h"

namespace warpsight {

CpuTimes DataLoadingTimes(const Trace& trace) {
  const HostRangesTable& host = trace.tables.host;
  std::vector<std::vector<Interval>> times(RowCount(trace.tables.threads));
  RangeNames names(trace);
  for (size_t h = 0; h < host.start.size(); ++h) {
    if (host.kind[h] != HostKind::kAnnotation || !names[host.name[h]].data_loading) continue;
    times[Index(host.thread[h])].push_back({host.start[h], host.start[h] + host.duration[h]});
  }
  CpuTimes sets;
  for (auto& list : times) sets.push_back(IntervalSet::FromUnsorted(std::move(list)));
  return sets;
}

}  // namespace warpsight
