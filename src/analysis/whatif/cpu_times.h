#pragma once

#include <vector>

#include "base/intervals.h"
#include "model/trace.h"

namespace warpsight {

// Times of CPU threads, by row of threads.
using CpuTimes = std::vector<IntervalSet>;

// Collects times of threads, in any order.
class CpuTimesCollector {
 public:
  explicit CpuTimesCollector(const Trace& trace) : lists_(RowCount(trace.tables.threads)) {}

  void Add(ThreadId thread, Interval time) { lists_[Index(thread)].push_back(time); }
  // Adds the time of a row of host_ranges or api_calls.
  template <typename Table>
  void AddRow(const Table& table, size_t row) {
    Add(table.thread[row], {table.start[row], table.start[row] + table.duration[row]});
  }
  CpuTimes Take();

 private:
  std::vector<std::vector<Interval>> lists_;
};

// The times in which threads fetched batches from a DataLoader.
CpuTimes DataLoadingTimes(const Trace& trace);

}  // namespace warpsight
