#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/aggregation/report_input.h"
#include "analysis/roofline/collectives.h"

namespace warpsight {

// The time in which one GPU ran collectives in the analyzed steps, alone or overlapping compute
// kernels. The sums over all GPUs equal those of RangeSummary.
struct CommunicationTime {
  DurationNs total = 0;    // union
  DurationNs exposed = 0;  // while no compute kernel ran

  // 0..100; kMissingReal without any communication.
  double OverlapPercent() const;
};

// Collectives of one GPU with the same name, process group and element type.
struct CollectiveUse {
  DeviceId device = kNone<DeviceId>;
  Collective about;  // bytes are those of the first collective
  int64_t count = 0;
  CommunicationTime time;  // in the analyzed time
  DurationNs shortest = 0;
  DurationNs longest = 0;
  // The sums over all of them; kMissingReal if any is unknown.
  double bytes_in = 0;
  double bytes_out = 0;
  double algorithm_bandwidth = kMissingReal;       // bytes per second: all messages / all durations
  double best_algorithm_bandwidth = kMissingReal;  // of the collective with the highest bandwidth
  GpuId longest_kernel = kNone<GpuId>;
};

struct CommunicationTable {
  std::vector<CommunicationTime> devices;  // by device
  std::vector<CollectiveUse> uses;         // by falling exposed time, then falling time
};

CommunicationTable MakeCommunicationTable(const ReportInput& input);

// By device, without a list of collectives.
std::vector<CommunicationTime> CommunicationTimes(const ReportInput& input);

}  // namespace warpsight
