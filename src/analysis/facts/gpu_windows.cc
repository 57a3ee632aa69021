#include "analysis/facts/gpu_windows.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

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

// Finds GPUs that work on an iteration one after the other, each launched by threads of its own:
// ranks that one file holds, or workers of TensorFlow. The iteration lasts as long as their threads
// work on it, for each of them; the wait for the others is not part of it.
class SeparateGpus {
 public:
  SeparateGpus(ProfileView profile, SourceId source) : profile_(profile), source_(source) {}

  // Shortens the iterations of these GPUs, by device and number. Devices of other sources are
  // empty.
  void Shorten(std::vector<std::vector<Interval>>& ranges) {
    Collect();
    bool any = false;
    for (Iteration& iteration : iterations_) {
      iteration.separate = AreSeparate(iteration);
      any = any || iteration.separate;
    }
    if (!any) return;
    FindHostWork(profile_.trace.tables.host, profile_.facts.host);
    FindHostWork(profile_.trace.tables.api, profile_.facts.api);
    for (size_t i = 0; i < iterations_.size(); ++i) {
      if (!iterations_[i].separate) continue;
      for (const OnGpu& gpu : iterations_[i].gpus) {
        Interval& range = ranges[Index(gpu.device)][i];
        range = {std::max(range.start, gpu.host.start), std::min(range.end, gpu.host.end)};
      }
    }
  }

 private:
  struct OnGpu {
    DeviceId device;
    Interval kernels;
    std::vector<ThreadId> threads;  // that launched them; few
    Interval host{INT64_MAX, INT64_MIN};

    bool LaunchedBy(ThreadId thread) const {
      return std::find(threads.begin(), threads.end(), thread) != threads.end();
    }
  };
  struct Iteration {
    std::vector<OnGpu> gpus;
    bool launches_known = true;
    bool separate = false;
  };

  void Collect() {
    const GpuActivitiesTable& gpu = profile_.trace.tables.gpu;
    for (size_t g = 0; g < gpu.start.size(); ++g) {
      const IterationId id = profile_.facts.gpu.iteration[g];
      if (gpu.kind[g] != GpuKind::kKernel || !IsSet(id)) continue;
      if (profile_.facts.iterations.source[Index(id)] != source_) continue;
      const auto number = static_cast<size_t>(profile_.facts.iterations.number[Index(id)]);
      if (iterations_.size() <= number) iterations_.resize(number + 1);
      Iteration& iteration = iterations_[number];
      const ApiId api = profile_.facts.gpu.api[g];
      if (!IsSet(api)) {
        iteration.launches_known = false;
        continue;
      }
      Add(iteration, profile_.trace.DeviceOf(gpu.stream[g]),
          {gpu.start[g], gpu.start[g] + gpu.duration[g]},
          profile_.trace.tables.api.thread[Index(api)]);
    }
  }

  static void Add(Iteration& iteration, DeviceId device, Interval kernel, ThreadId thread) {
    auto on = std::find_if(iteration.gpus.begin(), iteration.gpus.end(),
                           [&](const OnGpu& known) { return known.device == device; });
    if (on == iteration.gpus.end()) {
      iteration.gpus.push_back({device, kernel, {}, {INT64_MAX, INT64_MIN}});
      on = iteration.gpus.end() - 1;
    }
    on->kernels.end = std::max(on->kernels.end, kernel.end);
    if (!on->LaunchedBy(thread)) on->threads.push_back(thread);
  }

  static bool AreSeparate(const Iteration& iteration) {
    if (iteration.gpus.size() < 2 || !iteration.launches_known) return false;
    for (size_t a = 0; a < iteration.gpus.size(); ++a) {
      for (size_t b = a + 1; b < iteration.gpus.size(); ++b) {
        const OnGpu& one = iteration.gpus[a];
        const OnGpu& other = iteration.gpus[b];
        if (one.kernels.start < other.kernels.end && other.kernels.start < one.kernels.end) {
          return false;
        }
        for (const ThreadId thread : one.threads) {
          if (other.LaunchedBy(thread)) return false;
        }
      }
    }
    return true;
  }

  // When the launching threads of each GPU worked on an iteration.
  template <typename Table, typename Facts>
  void FindHostWork(const Table& table, const Facts& facts) {
    const IterationsTable& known = profile_.facts.iterations;
    for (size_t i = 0; i < table.start.size(); ++i) {
      const IterationId id = facts.iteration[i];
      if (!IsSet(id) || known.source[Index(id)] != source_) continue;
      const auto number = static_cast<size_t>(known.number[Index(id)]);
      if (number >= iterations_.size() || !iterations_[number].separate) continue;
      for (OnGpu& gpu : iterations_[number].gpus) {
        if (!gpu.LaunchedBy(table.thread[i])) continue;
        gpu.host.start = std::min(gpu.host.start, table.start[i]);
        gpu.host.end = std::max(gpu.host.end, table.start[i] + table.duration[i]);
      }
    }
  }

  ProfileView profile_;
  SourceId source_;
  std::vector<Iteration> iterations_;  // by number
};

// The iterations on the CPU, by device and number; empty for devices without work.
std::vector<std::vector<Interval>> HostRanges(ProfileView profile,
                                              const std::vector<std::vector<Interval>>& by_source,
                                              const std::vector<DeviceWork>& devices) {
  std::vector<std::vector<Interval>> ranges(devices.size());
  std::vector<int> working(by_source.size());
  for (size_t d = 0; d < devices.size(); ++d) {
    if (!devices[d].any) continue;
    const size_t source = Index(profile.trace.tables.devices.source[d]);
    ranges[d] = by_source[source];
    ++working[source];
  }
  for (size_t s = 0; s < working.size(); ++s) {
    if (working[s] > 1) SeparateGpus(profile, MakeId<SourceId>(s)).Shorten(ranges);
  }
  return ranges;
}

// Ends of work, none later than that of a later iteration: a kernel that runs on beside the work of
// several iterations ends none of them.
std::vector<TimeNs> InOrder(std::vector<TimeNs> ends) {
  TimeNs later = INT64_MAX;
  for (size_t i = ends.size(); i-- > 0;) {
    if (ends[i] == 0) continue;
    later = std::min(later, ends[i]);
    ends[i] = later;
  }
  return ends;
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
  counts.reserve(host.size());
  for (const auto& ranges : host) counts.push_back(ranges.size());
  const std::vector<DeviceWork> devices = CollectWork(profile, counts);
  const std::vector<std::vector<Interval>> by_device = HostRanges(profile, host, devices);
  // A recording without iterations is one window.
  const auto& found_by = profile.facts.aggregations.source;
  const bool whole = !found_by.empty() && found_by.front() == IterationSource::kNone;
  std::vector<std::vector<Interval>> windows(devices.size());
  for (size_t d = 0; d < devices.size(); ++d) {
    const DeviceWork& device = devices[d];
    const std::vector<Interval>& ranges = by_device[d];
    if (ranges.empty()) continue;
    TimeNs start = ranges.front().start;
    if (device.begun && !whole) start = std::max(start, device.backlog_end);
    const std::vector<TimeNs> work_ends = InOrder(device.work_ends);
    for (size_t i = 0; i < ranges.size(); ++i) {
      const TimeNs on_cpu = i + 1 < ranges.size() ? ranges[i + 1].start : ranges[i].end;
      const TimeNs end = std::max({start, on_cpu, work_ends[i]});
      windows[d].push_back({start, end});
      start = end;
    }
  }
  return windows;
}

std::vector<DurationNs> IterationLengths(ProfileView profile) {
  const IterationsTable& iterations = profile.facts.iterations;
  const std::vector<std::vector<Interval>> windows = ComputeGpuWindows(profile);
  std::vector<DurationNs> lengths;
  for (size_t i = 0; i < iterations.start.size(); ++i) {
    DurationNs longest = kMissing;
    const TimeNs own_end = std::max(iterations.end[i], iterations.gpu_end[i]);
    for (size_t d = 0; d < windows.size(); ++d) {
      if (profile.trace.tables.devices.source[d] != iterations.source[i] || windows[d].empty()) {
        continue;
      }
      const Interval window = windows[d][static_cast<size_t>(iterations.number[i])];
      longest = std::max(longest, std::min(window.end, own_end) - window.start);
    }
    lengths.push_back(longest == kMissing ? iterations.end[i] - iterations.start[i]
                                          : std::max<DurationNs>(longest, 0));
  }
  return lengths;
}

}  // namespace warpsight
