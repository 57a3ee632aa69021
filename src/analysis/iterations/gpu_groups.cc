#include "analysis/iterations/gpu_groups.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace warpsight {
namespace {

// By device: whether it ran a kernel of any iteration.
std::vector<bool> DevicesWithKernels(ProfileView profile) {
  const GpuActivitiesTable& gpu = profile.trace.tables.gpu;
  std::vector<bool> found(RowCount(profile.trace.tables.devices));
  for (size_t g = 0; g < gpu.start.size(); ++g) {
    if (gpu.kind[g] == GpuKind::kKernel && IsSet(profile.facts.gpu.iteration[g])) {
      found[Index(profile.trace.DeviceOf(gpu.stream[g]))] = true;
    }
  }
  return found;
}

// The work of one source's GPUs for its iterations.
class OneSource {
 public:
  OneSource(ProfileView profile, SourceId source) : profile_(profile), source_(source) {
    const GpuActivitiesTable& gpu = profile_.trace.tables.gpu;
    for (size_t g = 0; g < gpu.start.size(); ++g) {
      const IterationId id = profile_.facts.gpu.iteration[g];
      if (gpu.kind[g] != GpuKind::kKernel || !IsSet(id)) continue;
      if (profile_.facts.iterations.source[Index(id)] != source_) continue;
      const DeviceId device = profile_.trace.DeviceOf(gpu.stream[g]);
      const int64_t number = profile_.facts.iterations.number[Index(id)];
      const TimeNs end = gpu.start[g] + gpu.duration[g];
      const auto [at, added] = kernels_[number].try_emplace(device, Interval{gpu.start[g], end});
      if (!added) at->second.end = std::max(at->second.end, end);
      const ApiId api = profile_.facts.gpu.api[g];
      if (!IsSet(api)) {
        launches_known_ = false;
        continue;
      }
      AddLauncher(profile_.trace.tables.api.thread[Index(api)], device);
    }
  }

  // Whether each GPU works alone: not at the same time as others in any iteration, and launched by
  // its own threads.
  bool AreSeparate() const {
    if (!launches_known_ || shared_thread_) return false;
    for (const auto& [number, gpus] : kernels_) {
      std::vector<Interval> times;
      for (const auto& [device, interval] : gpus) times.push_back(interval);
      std::sort(times.begin(), times.end(),
                [](const Interval& a, const Interval& b) { return a.start < b.start; });
      for (size_t i = 1; i < times.size(); ++i) {
        if (times[i].start < times[i - 1].end) return false;
      }
    }
    return true;
  }

  const std::map<ThreadId, DeviceId>& launchers() const { return launchers_; }

 private:
  void AddLauncher(ThreadId thread, DeviceId device) {
    const auto [at, added] = launchers_.try_emplace(thread, device);
    if (!added && at->second != device) shared_thread_ = true;
  }

  ProfileView profile_;
  SourceId source_;
  // By number of the iteration and device: from the first to the last kernel.
  std::map<int64_t, std::map<DeviceId, Interval>> kernels_;
  std::map<ThreadId, DeviceId> launchers_;
  bool launches_known_ = true;
  bool shared_thread_ = false;
};

// The times in which the threads of each group worked on an iteration, by group and number.
using HostWork = std::vector<std::map<int64_t, Interval>>;

template <typename Table, typename Facts>
void FindHostWork(ProfileView profile, const GpuGroups& groups, const Table& table,
                  const Facts& facts, HostWork& work) {
  for (size_t i = 0; i < table.start.size(); ++i) {
    const IterationId id = facts.iteration[i];
    const size_t group = groups.GroupOf(table.thread[i]);
    if (!IsSet(id) || !groups.IsOneGpu(group)) continue;
    const Interval range = {table.start[i], table.start[i] + table.duration[i]};
    const int64_t number = profile.facts.iterations.number[Index(id)];
    const auto [at, added] = work[group].try_emplace(number, range);
    at->second.start = std::min(at->second.start, range.start);
    at->second.end = std::max(at->second.end, range.end);
  }
}

}  // namespace

GpuGroups::GpuGroups(ProfileView profile) {
  const TraceTables& tables = profile.trace.tables;
  const size_t sources = RowCount(tables.sources);
  const IterationsTable& iterations = profile.facts.iterations;
  sources_ = sources;
  iterations_.resize(sources);
  for (size_t s = 0; s < sources; ++s) source_.push_back(MakeId<SourceId>(s));
  for (size_t i = 0; i < iterations.start.size(); ++i) {
    iterations_[Index(iterations.source[i])].push_back({iterations.start[i], iterations.end[i]});
  }
  for (const SourceId source : tables.devices.source) {
    of_device_.push_back(static_cast<uint32_t>(Index(source)));
  }
  for (const ProcessId process : tables.threads.process) {
    of_thread_.push_back(static_cast<uint32_t>(Index(tables.processes.source[Index(process)])));
  }

  const std::vector<bool> works = DevicesWithKernels(profile);
  std::vector<std::vector<DeviceId>> working(sources);
  for (size_t d = 0; d < works.size(); ++d) {
    if (works[d]) working[Index(tables.devices.source[d])].push_back(MakeId<DeviceId>(d));
  }
  for (size_t s = 0; s < sources; ++s) {
    if (working[s].size() < 2) continue;
    const OneSource gpus(profile, MakeId<SourceId>(s));
    if (!gpus.AreSeparate()) continue;
    for (const DeviceId device : working[s]) {
      of_device_[Index(device)] = static_cast<uint32_t>(source_.size());
      source_.push_back(MakeId<SourceId>(s));
      iterations_.push_back(iterations_[s]);
    }
    for (const auto& [thread, device] : gpus.launchers()) {
      of_thread_[Index(thread)] = of_device_[Index(device)];
    }
  }
  if (source_.size() == sources) return;
  HostWork work(source_.size());
  FindHostWork(profile, *this, tables.host, profile.facts.host, work);
  FindHostWork(profile, *this, tables.api, profile.facts.api, work);
  for (size_t group = sources; group < source_.size(); ++group) {
    for (const auto& [number, range] : work[group]) {
      Interval& iteration = iterations_[group][static_cast<size_t>(number)];
      iteration = {std::max(iteration.start, range.start), std::min(iteration.end, range.end)};
    }
  }
}

}  // namespace warpsight
