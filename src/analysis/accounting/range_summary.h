#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/intervals.h"
#include "model/profile.h"
#include "model/time_groups.h"

namespace warpsight {

std::string_view ToString(IterationSource source);
std::string_view ToString(Direction direction);

// Times by LedgerEntry.
using EntryTimes = std::array<DurationNs, kLedgerEntryCount>;

// The busy time of one GPU within its window.
struct GpuUse {
  DeviceId device;
  Interval window;
  DurationNs busy = 0;         // kernels, copies, memsets: union
  DurationNs kernel_busy = 0;  // kernels: union
};

// The time breakdown of all GPUs that did any work, and of all processes.
struct GpuTime {
  std::vector<GpuUse> gpus;
  // The sums over all GPUs, and over all processes.
  EntryTimes entries{};
  // The sum of the GPUs' windows, as far as they were recorded, or, without GPUs, of the processes'
  // windows. The entries of View() sum to it.
  DurationNs capacity = 0;
  DurationNs host_capacity = 0;  // the sum of the processes' windows; kHostEntries sum to it
  DurationNs busy = 0;           // kernels, copies, memsets: union
  DurationNs idle = 0;           // capacity - busy; 0 without GPUs
  DurationNs kernel_busy = 0;    // kernels: union
  DurationNs communication = 0;  // collectives: union
  DurationNs overlapped_communication = 0;  // while other kernels compute

  // The displayed entries: those of GPUs or, if no GPU did any work, those of processes.
  std::span<const LedgerEntry> View() const;
  DurationNs Of(LedgerEntry entry) const { return entries[static_cast<size_t>(entry)]; }
  DurationNs Of(IdleCause cause) const { return Of(EntryOf(cause)); }
  // `time` / `capacity`, 0..1.
  double Share(DurationNs time) const;

  // Adds the entries of a GPU, or of a process, in a window. `unrecorded` is the part of the window
  // of which nothing is known about the GPU.
  void AddGpu(DeviceId device, Interval window, const EntryTimes& times, DurationNs unrecorded = 0);
  void AddHost(Interval window, const EntryTimes& times);
};

// The mean iteration of one rank, measured on the GPU that takes longest for it.
struct RankStep {
  SourceId source;
  DurationNs step = 0;
  // Without the pauses until the next iteration begins: the mean, and the standard deviation, which
  // needs at least two iterations.
  DurationNs worked = 0;
  DurationNs deviation = kMissing;
};

// Summary of the analyzed part of a trace: the aggregated iterations, with their work and their
// time breakdown.
struct RangeSummary : GpuTime {
  // Aggregated iterations: numbers within each source, inclusive. `total` counts all iterations of
  // one source.
  int64_t first = 0;
  int64_t last = 0;
  int64_t total = 0;
  IterationSource source = IterationSource::kNone;
  std::string explanation;

  // The window of each source: from the start of the first aggregated iteration's window to the end
  // of the last one's. Empty for a source without rows.
  std::vector<Interval> windows;
  // The same for each GPU; empty for GPUs without work. The windows of one source's GPUs end at
  // different times, since each works for a different time after the last launch.
  std::vector<Interval> gpu_windows;
  // The wall clock: the longest window of a GPU, or of a source without GPUs.
  DurationNs wall = 0;
  // For the rank that takes longest.
  DurationNs average_iteration = 0;
  // For the same rank, as in RankStep.
  DurationNs worked_iteration = 0;
  DurationNs iteration_deviation = kMissing;
  std::vector<RankStep> ranks;  // those with iterations, by source

  double gpu_utilization = 0;      // kernel_busy / capacity, 0..1
  double gpu_utilization_all = 0;  // busy / capacity

  DurationNs reader_time = 0;    // time in the loader's next, over all aggregated iterations
  int64_t synchronizations = 0;  // host synchronizations, over all aggregated iterations
  int64_t samples_per_iteration = kMissing;
  // The largest group of the displayed view.
  TimeGroup verdict = TimeGroup::kIdleUnknown;
  std::string verdict_reason;  // a sentence with the shares of the largest groups

  int64_t iterations() const { return last - first + 1; }
  // The number of iterations of all ranks: dividing totals by it gives one step of one rank.
  int64_t steps() const;
  // The rank whose average is average_iteration, and the median over the ranks. There must be a
  // rank.
  const RankStep& SlowestRank() const;
  DurationNs MedianStep() const;
  // For one rank; kMissingReal if the batch size is unknown.
  double SamplesPerSecond() const;

  // The part of a gap (row in gaps) within its window; an empty interval if there is none.
  Interval PartOfGap(ProfileView profile, size_t gap) const;

  bool Contains(ProfileView profile, IterationId iteration) const {
    if (!IsSet(iteration)) return false;
    const int64_t number = profile.facts.iterations.number[Index(iteration)];
    return number >= first && number <= last;
  }
};

// Summarizes the ledger of the profile's first aggregation.
RangeSummary SummarizeRange(ProfileView profile);

}  // namespace warpsight
