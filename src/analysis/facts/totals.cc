#include "analysis/facts/totals.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/facts/named_op.h"

namespace warpsight {
namespace {

// Adds the number of rows of each thread to the counts of its source.
template <typename Table, typename Counts>
Column<int64_t> CountBySource(const Trace& trace, const Table& table, Counts counts) {
  std::vector<int64_t> by_thread(RowCount(trace.tables.threads));
  for (size_t i = 0; i < table.thread.size(); ++i) {
    if (counts(i)) ++by_thread[Index(table.thread[i])];
  }
  Column<int64_t> by_source(RowCount(trace.tables.sources));
  for (size_t t = 0; t < by_thread.size(); ++t) {
    by_source[Index(trace.SourceOf(MakeId<ThreadId>(t)))] += by_thread[t];
  }
  return by_source;
}

// Work is added in order of its start.
void AddWork(const GpuActivitiesTable& gpu, size_t work, bool has_op, size_t device,
             DeviceFactsTable& facts) {
  const TimeNs start = gpu.start[work];
  const TimeNs end = start + gpu.duration[work];
  if (!facts.Worked(device)) facts.first[device] = facts.last[device] = start;
  facts.busy[device] += std::max<DurationNs>(0, end - std::max(start, facts.last[device]));
  facts.last[device] = std::max(facts.last[device], end);
  if (!has_op) facts.without_op[device] += gpu.duration[work];
  switch (gpu.kind[work]) {
    case GpuKind::kKernel:
      ++facts.kernels[device];
      facts.kernel_time[device] += gpu.duration[work];
      break;
    case GpuKind::kCopy:
      ++facts.copies[device];
      break;
    case GpuKind::kMemset:
      ++facts.memsets[device];
      break;
  }
}

}  // namespace

void CountTotals(const Trace& trace, FactTables& facts) {
  const HostRangesTable& host = trace.tables.host;
  facts.sources.host_ranges = CountBySource(trace, host, [](size_t) { return true; });
  facts.sources.ops =
      CountBySource(trace, host, [&](size_t h) { return host.kind[h] == HostKind::kOp; });
  facts.sources.api_calls = CountBySource(trace, trace.tables.api, [](size_t) { return true; });

  const size_t rows = RowCount(trace.tables.devices);
  DeviceFactsTable devices;
  DeviceFactsTable::Columns([&](ColumnInfo, auto member) { (devices.*member).assign(rows, 0); });
  devices.first.assign(rows, kMissing);
  devices.last.assign(rows, kMissing);
  const GpuActivitiesTable& gpu = trace.tables.gpu;
  for (size_t g = 0; g < gpu.start.size(); ++g) {
    AddWork(gpu, g, HasOp(trace, facts, g), Index(trace.DeviceOf(gpu.stream[g])), devices);
  }
  facts.devices = std::move(devices);
}

}  // namespace warpsight
