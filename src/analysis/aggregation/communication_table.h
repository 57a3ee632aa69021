#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/aggregation/report_input.h"
#include "analysis/roofline/collectives.h"

namespace warpsight {

// The time in which one GPU ran collectives in the analyzed steps, alone or overlapping compute
// kernels. Summed over the GPUs these are RangeSummary's.
struct CommunicationTime {
  DurationNs total = 0;    // union
  DurationNs exposed = 0;  // while no compute kernel ran

  // 0..100; kMissingReal without any communication.
  double OverlapPercent() const;
};

// A group of equal collectives: of one GPU, name, process group and element type.
struct CollectiveUse {
  DeviceId device = kNone<DeviceId>;
  Collective about;  // bytes are of the first
  int64_t count = 0;
  CommunicationTime time;  // in the analyzed time
  DurationNs shortest = 0;
  DurationNs longest = 0;
  // Of all of them; kMissingReal as soon as one is not known.
  double bytes_in = 0;
  double bytes_out = 0;
  double algorithm_bandwidth = kMissingReal;       // bytes per second: all messages / all durations
  double best_algorithm_bandwidth = kMissingReal;  // of the one that got most
  GpuId longest_kernel = kNone<GpuId>;
};

struct CommunicationTable {
  std::vector<CommunicationTime> devices;  // by device
  std::vector<CollectiveUse> uses;         // by falling exposed time, then falling time
};

CommunicationTable MakeCommunicationTable(const ReportInput& input);

// By device, without the collectives one by one.
std::vector<CommunicationTime> CommunicationTimes(const ReportInput& input);

}  // namespace warpsight
