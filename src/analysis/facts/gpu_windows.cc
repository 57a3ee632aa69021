#include "analysis/facts/gpu_windows.h"

#include <algorithm>
#include <cstddef>

namespace warpsight {
namespace {

// What a device did for the iterations of its source.
struct DeviceWork {
  bool any = false;
  bool begun = false;             // has work of an iteration
  TimeNs backlog_end = 0;         // of work before the first of any iteration
  std::vector<TimeNs> work_ends;  // by number: end of the last work; 0 without any
};

std::vector<DeviceWork> CollectWork(ProfileView profile, const std::vector<size_t>& counts) {
  const TraceTables& tables = profile.trace.tables;
  const GpuActivitiesTable& gpu = tables.gpu;
  std::vector<DeviceWork> devices(tables.devices.source.size());
  for (size_t g = 0; g < gpu.start.size(); ++g) {
    const DeviceId id = profile.trace.DeviceOf(gpu.stream[g]);
    DeviceWork& device = devices[Index(id)];
    if (!device.any) {
      device.any = true;
      device.work_ends.assign(counts[Index(tables.devices.source[Index(id)])], 0);
    }
    const TimeNs end = gpu.start[g] + gpu.duration[g];
    const IterationId iteration = profile.facts.gpu.iteration[g];
    if (IsSet(iteration)) {
      device.begun = true;
      TimeNs& last =
          device.work_ends[static_cast<size_t>(profile.facts.iterations.number[Index(iteration)])];
      last = std::max(last, end);
    } else if (!device.begun) {
      device.backlog_end = std::max(device.backlog_end, end);
    }
  }
  return devices;
}

}  // namespace

std::vector<std::vector<Interval>> ComputeGpuWindows(ProfileView profile) {
  const TraceTables& tables = profile.trace.tables;
  const IterationsTable& iterations = profile.facts.iterations;
  std::vector<std::vector<Interval>> host(tables.sources.path.size());  // by source and number
  for (size_t i = 0; i < iterations.start.size(); ++i) {
    host[Index(iterations.source[i])].push_back({iterations.start[i], iterations.end[i]});
  }
  std::vector<size_t> counts;
  for (const auto& ranges : host) counts.push_back(ranges.size());
  const std::vector<DeviceWork> devices = CollectWork(profile, counts);
  std::vector<std::vector<Interval>> windows(devices.size());
  for (size_t d = 0; d < devices.size(); ++d) {
    const DeviceWork& device = devices[d];
    if (!device.any) continue;
    const std::vector<Interval>& ranges = host[Index(tables.devices.source[d])];
    if (ranges.empty()) continue;
    TimeNs start = ranges.front().start;
    if (device.begun) start = std::max(start, device.backlog_end);
    for (size_t i = 0; i < ranges.size(); ++i) {
      const TimeNs on_cpu = i + 1 < ranges.size() ? ranges[i + 1].start : ranges[i].end;
      const TimeNs end = std::max({start, on_cpu, device.work_ends[i]});
      windows[d].push_back({start, end});
      start = end;
    }
  }
  return windows;
}

}  // namespace warpsight
