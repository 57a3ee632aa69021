#include "analysis/facts/breakdown.h"

namespace warpsight {

Breakdown::Breakdown(const GpuWork& gpu, const HostWork& host) {
  IntervalSet taken;
  const auto take = [&](Resource resource, const IntervalSet& set) {
    const IntervalSet part = set.Subtract(taken);
    parts_[static_cast<size_t>(resource)] = part;  // a copy takes no more memory than it needs
    taken = taken.Union(set);
  };
  take(Resource::kTensorCores, gpu.tensor_cores);
  take(Resource::kOtherKernels, gpu.other_kernels);
  take(Resource::kCommunication, gpu.communication);
  take(Resource::kMemory, gpu.memory);
  take(Resource::kDataLoading, host.data_loading);
  take(Resource::kIo, host.io);
  take(Resource::kCpu, host.cpu);
}

std::array<DurationNs, kResourceCount> Breakdown::Within(Interval window) const {
  std::array<DurationNs, kResourceCount> result{};
  DurationNs rest = window.end - window.start;
  for (size_t i = 0; i < parts_.size(); ++i) {
    result[i] = parts_[i].LengthWithin(window);
    rest -= result[i];
  }
  result[static_cast<size_t>(Resource::kOther)] = rest;
  return result;
}

size_t Breakdown::MemoryBytes() const {
  size_t bytes = 0;
  for (const IntervalSet& part : parts_) bytes += part.intervals().capacity() * sizeof(Interval);
  return bytes;
}

}  // namespace warpsight
