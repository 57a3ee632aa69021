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
  // The entries of GPUs and of processes, each added up.
  EntryTimes entries{};
  // The sum of the GPUs' windows; without GPUs, that of the processes'. The view sums to it.
  DurationNs capacity = 0;
  DurationNs host_capacity = 0;             // of the processes' windows; kHostEntries sum to it
  DurationNs busy = 0;                      // kernels, copies, memsets: union
  DurationNs idle = 0;                      // capacity - busy; 0 without GPUs
  DurationNs kernel_busy = 0;               // kernels: union
  DurationNs communication = 0;             // collectives: union
  DurationNs overlapped_communication = 0;  // while other kernels compute

  // The entries to show: those of GPUs, or of the processes where no GPU did anything.
  std::span<const LedgerEntry> View() const;
  DurationNs Of(LedgerEntry entry) const { return entries[static_cast<size_t>(entry)]; }
  DurationNs Of(IdleCause cause) const { return Of(EntryOf(cause)); }
  // The part of `capacity`, 0..1.
  double Share(DurationNs time) const;

  // Adds the entries of a GPU, or of a process, in a window.
  void AddGpu(DeviceId device, Interval window, const EntryTimes& times);
  void AddHost(Interval window, const EntryTimes& times);
};

// The mean iteration of one rank, on the GPU that takes longest in it.
struct RankStep {
  SourceId source;
  DurationNs step = 0;
  // Without the pauses until the next iteration begins: mean, and standard deviation, which needs
  // two iterations.
  DurationNs worked = 0;
  DurationNs deviation = kMissing;
};

// Summary of the analyzed part of a trace: the aggregated iterations, with their work and their
// time breakdown.
struct RangeSummary : GpuTime {
  // Aggregated iterations, numbers within each source, inclusive; total counts all of one source.
  int64_t first = 0;
  int64_t last = 0;
  int64_t total = 0;
  IterationSource source = IterationSource::kNone;
  std::string explanation;

  // The window of each source: from the start of the first aggregated iteration's window to the end
  // of the last one's. Empty for a source without rows.
  std::vector<Interval> windows;
  // The same of each GPU: empty for GPUs without work. Those of one source differ by how long each
  // works after the last launch.
  std::vector<Interval> gpu_windows;
  // The longest window of a GPU, or of a source without: the wall clock.
  DurationNs wall = 0;
  // Of the rank that takes longest.
  DurationNs average_iteration = 0;
  // Of the same rank, as in RankStep.
  DurationNs worked_iteration = 0;
  DurationNs iteration_deviation = kMissing;
  std::vector<RankStep> ranks;  // those with iterations, by source

  double gpu_utilization = 0;      // kernel_busy / capacity, 0..1
  double gpu_utilization_all = 0;  // busy / capacity

  DurationNs reader_time = 0;    // in the loader's next, all aggregated iterations
  int64_t synchronizations = 0;  // host calls that wait for the GPU, all aggregated iterations
  int64_t samples_per_iteration = kMissing;
  // The largest group of the view.
  TimeGroup verdict = TimeGroup::kIdleUnknown;
  std::string verdict_reason;  // the shares of the largest groups, in words

  int64_t iterations() const { return last - first + 1; }
  // The same of all ranks together: totals over it are per step of one rank.
  int64_t steps() const;
  // The rank that average_iteration is about, and the median over the ranks; need a rank.
  const RankStep& SlowestRank() const;
  DurationNs MedianStep() const;
  // Of one rank; kMissingReal where the batch size is not known.
  double SamplesPerSecond() const;

  // The part of a gap (row in gaps) that lies in its window; without length where none does.
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
