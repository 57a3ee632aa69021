#include "analysis/aggregation/communication_table.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/accounting/gpu_work.h"

namespace warpsight {
namespace {

// By device: the window in which RangeSummary counts its time; empty for unused GPUs.
std::vector<Interval> Windows(const ReportInput& input) {
  std::vector<Interval> windows(RowCount(input.profile.trace.tables.devices), Interval{0, 0});
  for (const GpuUse& use : input.range.gpus) windows[Index(use.device)] = use.window;
  return windows;
}

CommunicationTime TimeOf(const IntervalSet& communication, const IntervalSet& compute,
                         Interval window) {
  const IntervalSet within = communication.Clip(window);
  return {within.Length(), within.Subtract(compute).Length()};
}

void AddBytes(double& sum, double bytes) {
  sum = sum < 0 || bytes < 0 ? kMissingReal : sum + bytes;
}

class Collector {
 public:
  explicit Collector(const ReportInput& input)
      : trace_(input.profile.trace),
        classes_(trace_, input.profile.facts),
        collectives_(input.profile),
        windows_(Windows(input)) {
    for (const GpuWork& work : CollectGpuWork(trace_, input.profile.facts)) {
      compute_.push_back(work.Compute());
      communication_.push_back(work.communication);
    }
  }

  CommunicationTable Run() {
    CommunicationTable table;
    for (size_t d = 0; d < windows_.size(); ++d) {
      table.devices.push_back(TimeOf(communication_[d], compute_[d], windows_[d]));
    }
    const GpuActivitiesTable& gpu = trace_.tables.gpu;
    for (size_t g = 0; g < gpu.start.size(); ++g) {
      if (classes_.Of(g) == Resource::kCommunication) Add(MakeId<GpuId>(g));
    }
    for (Entry& entry : entries_) table.uses.push_back(Finish(entry));
    std::stable_sort(table.uses.begin(), table.uses.end(),
                     [](const CollectiveUse& a, const CollectiveUse& b) {
                       return std::tuple(a.time.exposed, a.time.total) >
                              std::tuple(b.time.exposed, b.time.total);
                     });
    return table;
  }

 private:
  struct Entry {
    CollectiveUse use;
    std::vector<Interval> times;
    double message_bytes = 0;
    DurationNs durations = 0;
  };
  using Key = std::tuple<DeviceId, CollectiveKind, std::string_view, std::string_view,
                         std::string_view, int64_t>;

  void Add(GpuId kernel) {
    const GpuActivitiesTable& gpu = trace_.tables.gpu;
    const size_t g = Index(kernel);
    const DeviceId device = trace_.DeviceOf(gpu.stream[g]);
    const DurationNs duration = gpu.duration[g];
    const Interval time{gpu.start[g], gpu.start[g] + duration};
    const Interval window = windows_[Index(device)];
    if (time.end <= window.start || time.start >= window.end) return;
    const Collective about = collectives_.Of(kernel);
    const Key key{device, about.kind, about.name, about.group, about.dtype, about.group_size};
    const auto [at, is_new] = rows_.try_emplace(key, entries_.size());
    if (is_new) {
      CollectiveUse& use = entries_.emplace_back().use;
      use.device = device;
      use.about = about;
      use.shortest = duration;
    }
    Entry& entry = entries_[at->second];
    CollectiveUse& use = entry.use;
    entry.times.push_back(time);
    AddBytes(entry.message_bytes, about.MessageBytes());
    entry.durations += duration;
    ++use.count;
    AddBytes(use.bytes_in, about.bytes_in);
    AddBytes(use.bytes_out, about.bytes_out);
    use.shortest = std::min(use.shortest, duration);
    if (!IsSet(use.longest_kernel) || duration > use.longest) {
      use.longest = duration;
      use.longest_kernel = kernel;
    }
    if (about.MessageBytes() >= 0 && duration > 0) {
      use.best_algorithm_bandwidth = std::max(
          use.best_algorithm_bandwidth, 1e9 * about.MessageBytes() / static_cast<double>(duration));
    }
  }

  CollectiveUse Finish(Entry& entry) const {
    CollectiveUse& use = entry.use;
    use.time = TimeOf(IntervalSet::FromSorted(entry.times), compute_[Index(use.device)],
                      windows_[Index(use.device)]);
    if (entry.message_bytes >= 0 && entry.durations > 0) {
      use.algorithm_bandwidth = 1e9 * entry.message_bytes / static_cast<double>(entry.durations);
    }
    return use;
  }

  const Trace& trace_;
  const GpuClasses classes_;
  const Collectives collectives_;
  const std::vector<Interval> windows_;
  std::vector<IntervalSet> compute_, communication_;  // by device
  std::vector<Entry> entries_;
  std::map<Key, size_t> rows_;
};

}  // namespace

double CommunicationTime::OverlapPercent() const {
  if (total <= 0) return kMissingReal;
  return 100 * static_cast<double>(total - exposed) / static_cast<double>(total);
}

CommunicationTable MakeCommunicationTable(const ReportInput& input) {
  return Collector(input).Run();
}

std::vector<CommunicationTime> CommunicationTimes(const ReportInput& input) {
  const std::vector<Interval> windows = Windows(input);
  const std::vector<GpuWork> work = CollectGpuWork(input.profile.trace, input.profile.facts);
  std::vector<CommunicationTime> times;
  for (size_t d = 0; d < windows.size(); ++d) {
    times.push_back(TimeOf(work[d].communication, work[d].Compute(), windows[d]));
  }
  return times;
}

}  // namespace warpsight
