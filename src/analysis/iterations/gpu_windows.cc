#include "analysis/iterations/gpu_windows.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "analysis/iterations/gpu_groups.h"
#include "base/intervals.h"
#include "model/clean_stretches.h"

namespace warpsight {
namespace {

// The work of a device for the iterations of its source.
struct DeviceWork {
  bool any = false;
  bool begun = false;             // it has work of an iteration
  TimeNs backlog_end = 0;         // end of the work before the first iteration's
  std::vector<TimeNs> work_ends;  // by iteration: end of its last work; 0 without any
};

std::vector<DeviceWork> CollectWork(ProfileView profile, const std::vector<size_t>& counts) {
  const TraceTables& tables = profile.trace.tables;
  const GpuActivitiesTable& gpu = tables.gpu;
  std::vector<DeviceWork> devices(tables.devices.source.size());
  for (size_t g = 0; g < gpu.start.size(); ++g) {
    if (gpu.duration[g] <= 0) continue;  // it takes no time
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

// Limits the ends of work so that none is later than that of a later iteration: a kernel that
// continues to run during several iterations ends none of them.
std::vector<TimeNs> InOrder(std::vector<TimeNs> ends) {
  TimeNs later = INT64_MAX;
  for (size_t i = ends.size(); i-- > 0;) {
    if (ends[i] == 0) continue;
    later = std::min(later, ends[i]);
    ends[i] = later;
  }
  return ends;
}

// The windows of one GPU, from the iterations on the CPU. `clean` are the clean stretches of its
// process, `unrecorded` the times of which nothing is known about the GPU.
std::vector<Interval> WindowsOf(const DeviceWork& device, const std::vector<Interval>& on_cpu,
                                bool whole, const IntervalSet& clean,
                                const std::vector<Interval>& unrecorded) {
  std::vector<Interval> windows;
  windows.reserve(on_cpu.size());
  TimeNs start = on_cpu.front().start;
  if (device.begun && !whole) start = std::max(start, device.backlog_end);
  const std::vector<TimeNs> work_ends = InOrder(device.work_ends);
  for (size_t i = 0; i < on_cpu.size(); ++i) {
    TimeNs next = on_cpu[i].end;
    if (i + 1 < on_cpu.size() && clean.LengthWithin({next, on_cpu[i + 1].start}) == 0) {
      next = on_cpu[i + 1].start;
    }
    // The first one after a clean stretch begins where it does on the CPU. No window has unrecorded
    // times.
    if (i > 0 && clean.LengthWithin({on_cpu[i - 1].end, on_cpu[i].start}) > 0) {
      start = std::max(start, on_cpu[i].start);
    }
    const auto unknown =
        std::partition_point(unrecorded.begin(), unrecorded.end(),
                             [&](const Interval& times) { return times.end <= start; });
    auto limit = unknown;
    if (limit != unrecorded.end() && limit->start <= start) start = (limit++)->end;
    TimeNs end = std::max({start, next, work_ends[i]});
    if (limit != unrecorded.end()) end = std::min(end, limit->start);
    windows.push_back({start, end});
    start = end;
  }
  return windows;
}

// The iterations of one source are consecutive, so their windows must be, too, except where a clean
// stretch is between them.
void SetProcessWindows(const std::vector<IntervalSet>& clean, FactTables& facts) {
  IterationsTable& t = facts.iterations;
  const size_t count = t.start.size();
  t.window_start.assign(count, kMissing);
  t.window_end.assign(count, kMissing);
  const GpuWindowsTable& gpus = facts.gpu_windows;
  for (size_t row = 0; row < gpus.start.size(); ++row) {
    const size_t i = Index(gpus.iteration[row]);
    TimeNs& start = t.window_start[i];
    start = start == kMissing ? gpus.start[row] : std::min(start, gpus.start[row]);
    t.window_end[i] = std::max(t.window_end[i], gpus.end[row]);
  }
  // Whether the iteration after i, of the same source, follows it directly.
  const auto followed = [&](size_t i) {
    return i + 1 < count && t.source[i] == t.source[i + 1] &&
           clean[Index(t.source[i])].LengthWithin({t.end[i], t.start[i + 1]}) == 0;
  };
  for (size_t i = 0; i < count; ++i) {
    if (t.window_start[i] == kMissing) {
      t.window_start[i] = t.start[i];
      t.window_end[i] = followed(i) ? t.start[i + 1] : t.end[i];
    }
    if (i == 0 || t.source[i] != t.source[i - 1]) continue;
    const TimeNs end = t.window_end[i - 1];
    t.window_start[i] = followed(i - 1) ? end : std::max(end, t.window_start[i]);
    t.window_end[i] = std::max(t.window_start[i], t.window_end[i]);
  }
}

}  // namespace

void FindWindows(const Trace& trace, const std::vector<bool>& whole, FactTables& facts) {
  const ProfileView profile(trace, facts);
  const GpuGroups groups(profile);
  std::vector<size_t> counts(RowCount(trace.tables.sources));
  for (const SourceId source : facts.iterations.source) ++counts[Index(source)];
  const std::vector<DeviceWork> devices = CollectWork(profile, counts);
  const std::vector<IntervalSet> clean = CleanStretches(trace);
  const auto unrecorded = UnrecordedGpuTimes(trace, facts.gpu.api);
  std::vector<std::vector<Interval>> windows(devices.size());
  std::vector<std::vector<size_t>> of_source(counts.size());
  for (size_t d = 0; d < devices.size(); ++d) {
    const auto& on_cpu = groups.Iterations(groups.GroupOf(MakeId<DeviceId>(d)));
    if (!devices[d].any || on_cpu.empty()) continue;
    const size_t source = Index(trace.tables.devices.source[d]);
    windows[d] = WindowsOf(devices[d], on_cpu, whole[source], clean[source], unrecorded[d]);
    of_source[source].push_back(d);
  }
  GpuWindowsTable& table = facts.gpu_windows;
  table = {};
  const IterationsTable& iterations = facts.iterations;
  for (size_t i = 0; i < iterations.start.size(); ++i) {
    for (const size_t d : of_source[Index(iterations.source[i])]) {
      const Interval window = windows[d][static_cast<size_t>(iterations.number[i])];
      table.iteration.push_back(MakeId<IterationId>(i));
      table.device.push_back(MakeId<DeviceId>(d));
      table.start.push_back(window.start);
      table.end.push_back(window.end);
    }
  }
  SetProcessWindows(clean, facts);
}

std::vector<std::vector<Interval>> WindowsByGpu(ProfileView profile) {
  std::vector<std::vector<Interval>> windows(RowCount(profile.trace.tables.devices));
  const GpuWindowsTable& table = profile.facts.gpu_windows;
  for (size_t row = 0; row < table.start.size(); ++row) {
    windows[Index(table.device[row])].push_back({table.start[row], table.end[row]});
  }
  return windows;
}

DurationNs WorkedTime(const IterationsTable& iterations, size_t iteration, Interval window) {
  const TimeNs end = std::max(iterations.end[iteration], iterations.gpu_end[iteration]);
  return std::clamp(end, window.start, window.end) - window.start;
}

std::vector<DurationNs> IterationLengths(const FactTables& facts) {
  const IterationsTable& iterations = facts.iterations;
  std::vector<DurationNs> lengths(iterations.start.size(), kMissing);
  const GpuWindowsTable& windows = facts.gpu_windows;
  for (size_t row = 0; row < windows.start.size(); ++row) {
    const size_t i = Index(windows.iteration[row]);
    lengths[i] =
        std::max(lengths[i], WorkedTime(iterations, i, {windows.start[row], windows.end[row]}));
  }
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] == kMissing) lengths[i] = iterations.end[i] - iterations.start[i];
  }
  return lengths;
}

}  // namespace warpsight
