#include "analysis/facts/window_breakdown.h"

#include <algorithm>
#include <utility>

#include "analysis/facts/gpu_work.h"

namespace warpsight {

WindowBreakdown::WindowBreakdown(ProfileView profile) {
  const Trace& trace = profile.trace;
  std::vector<GpuWork> gpus = CollectGpuWork(trace, profile.facts);
  const std::vector<HostWork> hosts = CollectHostWork(trace, profile.facts);
  // GPUs that did nothing at all in this program have no share in any figure.
  for (size_t d = 0; d < gpus.size(); ++d) {
    GpuWork& gpu = gpus[d];
    if (gpu.tensor_cores.empty() && gpu.other_kernels.empty() && gpu.communication.empty() &&
        gpu.memory.empty()) {
      continue;
    }
    any_gpu_ = true;
    const SourceId source = trace.tables.devices.source[d];
    Breakdown breakdown(gpu, hosts[Index(source)]);
    parts_.push_back(
        {source, MakeId<DeviceId>(d), std::move(breakdown), std::move(gpu.communication)});
  }
  if (any_gpu_) return;
  for (size_t s = 0; s < hosts.size(); ++s) {
    parts_.push_back({MakeId<SourceId>(s), kNone<DeviceId>, Breakdown({}, hosts[s]), {}});
  }
}

GpuTime WindowBreakdown::Within(ProfileView profile, std::span<const Interval> windows) const {
  GpuTime time;
  for (const Part& part : parts_) {
    const Interval window = windows[Index(part.source)];
    const auto split = part.breakdown.Within(window);
    for (size_t i = 0; i < split.size(); ++i) time.resources[i] += split[i];
    time.capacity += window.end - window.start;
    time.communication += part.communication.LengthWithin(window);
    if (!IsSet(part.device)) continue;
    // The breakdown gives every moment to one resource, so its parts add up to what ran at all.
    const auto of = [&](Resource resource) { return split[static_cast<size_t>(resource)]; };
    GpuUse use{part.device, window};
    use.kernel_busy =
        of(Resource::kTensorCores) + of(Resource::kOtherKernels) + of(Resource::kCommunication);
    use.busy = use.kernel_busy + of(Resource::kMemory);
    time.kernel_busy += use.kernel_busy;
    time.busy += use.busy;
    time.overlapped_communication -= of(Resource::kCommunication);
    time.gpus.push_back(use);
  }
  time.overlapped_communication += time.communication;
  time.idle = any_gpu_ ? time.capacity - time.busy : 0;

  const GapsTable& gaps = profile.facts.gaps;
  for (size_t i = 0; i < gaps.start.size(); ++i) {
    const Interval window =
        windows[Index(profile.trace.tables.devices.source[Index(gaps.device[i])])];
    const DurationNs length =
        std::min(gaps.end[i], window.end) - std::max(gaps.start[i], window.start);
    if (length > 0) time.gaps[static_cast<size_t>(gaps.cause[i])] += length;
  }
  return time;
}

size_t WindowBreakdown::MemoryBytes() const {
  size_t bytes = 0;
  for (const Part& part : parts_) {
    bytes += sizeof(Part) + part.breakdown.MemoryBytes() +
             part.communication.intervals().capacity() * sizeof(Interval);
  }
  return bytes;
}

}  // namespace warpsight
