#include "analysis/accounting/window_breakdown.h"

#include <algorithm>
#include <utility>

#include "analysis/accounting/gpu_work.h"
#include "model/clean_stretches.h"

namespace warpsight {

WindowBreakdown::WindowBreakdown(ProfileView profile) {
  const Trace& trace = profile.trace;
  std::vector<GpuWork> gpus = CollectGpuWork(trace, profile.facts);
  const auto unrecorded = UnrecordedGpuTimes(trace, profile.facts.gpu.api);
  // GPUs without any work in the recording are not included in any figure.
  for (size_t d = 0; d < gpus.size(); ++d) {
    if (gpus[d].empty()) continue;
    gpus_.push_back({trace.tables.devices.source[d], MakeId<DeviceId>(d), GpuBreakdown(gpus[d]),
                     std::move(gpus[d].communication), std::move(gpus[d].memory),
                     IntervalSet::FromSorted(unrecorded[d])});
  }
  for (const HostWork& work : CollectHostWork(trace, profile.facts)) hosts_.emplace_back(work);
}

GpuTime WindowBreakdown::Within(ProfileView profile, std::span<const Interval> windows) const {
  GpuTime time;
  for (const Gpu& gpu : gpus_) {
    const Interval window = windows[Index(gpu.source)];
    if (window.end <= window.start) continue;
    EntryTimes entries = BusyTimes(gpu, window);
    time.AddGpu(gpu.device, window, entries, gpu.unrecorded.LengthWithin(window));
  }
  for (size_t s = 0; s < hosts_.size(); ++s) {
    time.AddHost(windows[s], HostTimes(s, windows[s]));
  }
  const GapsTable& gaps = profile.facts.gaps;
  for (size_t i = 0; i < gaps.start.size(); ++i) {
    const Interval window =
        windows[Index(profile.trace.tables.devices.source[Index(gaps.device[i])])];
    const DurationNs length =
        std::min(gaps.end[i], window.end) - std::max(gaps.start[i], window.start);
    if (length > 0) time.entries[static_cast<size_t>(EntryOf(gaps.cause[i]))] += length;
  }
  return time;
}

EntryTimes WindowBreakdown::BusyTimes(const Gpu& gpu, Interval window) {
  EntryTimes entries{};
  const auto parts = gpu.breakdown.Within(window);
  std::copy(parts.begin(), parts.end(), entries.begin());
  const auto at = [&](LedgerEntry entry) -> DurationNs& {
    return entries[static_cast<size_t>(entry)];
  };
  at(LedgerEntry::kHiddenCommunication) =
      gpu.communication.LengthWithin(window) - at(LedgerEntry::kCommunication);
  at(LedgerEntry::kHiddenCopies) = gpu.copies.LengthWithin(window) - at(LedgerEntry::kCopies);
  return entries;
}

EntryTimes WindowBreakdown::HostTimes(size_t source, Interval window) const {
  EntryTimes entries{};
  DurationNs rest = window.end - window.start;
  auto entry = static_cast<size_t>(LedgerEntry::kHostDataLoading);
  for (const DurationNs part : hosts_[source].Within(window)) {
    entries[entry++] = part;
    rest -= part;
  }
  entries[static_cast<size_t>(LedgerEntry::kHostOther)] = rest;
  return entries;
}

size_t WindowBreakdown::MemoryBytes() const {
  size_t bytes = 0;
  for (const Gpu& gpu : gpus_) {
    bytes += sizeof(Gpu) + gpu.breakdown.MemoryBytes() +
             (gpu.communication.intervals().capacity() + gpu.copies.intervals().capacity() +
              gpu.unrecorded.intervals().capacity()) *
                 sizeof(Interval);
  }
  for (const HostBreakdown& host : hosts_) bytes += sizeof(HostBreakdown) + host.MemoryBytes();
  return bytes;
}

}  // namespace warpsight
