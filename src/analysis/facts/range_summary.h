#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/intervals.h"
#include "model/profile.h"

namespace warpsight {

// Where the wall time goes: a partition, by priority in this order (metrics.md).
enum class Resource : uint8_t {
  kTensorCores,    // kernels using Tensor Cores
  kOtherKernels,   // other compute kernels
  kCommunication,  // collectives, where no compute kernel runs
  kMemory,         // copies and memsets, where nothing above runs
  kDataLoading,
  kIo,
  kCpu,
  kOther,
};
inline constexpr size_t kResourceCount = 8;

inline constexpr size_t kGapCauseCount = 7;

enum class Verdict : uint8_t {
  kInputBound,
  kCpuBound,
  kSyncBound,
  kCommunicationBound,
  kCopyBound,
  kGpuBound,
  kUnknown,
};

// Names as printed: "input-bound", "Tensor Core kernels", "host synchronisation", ...
std::string_view ToString(Verdict verdict);
std::string_view ToString(Resource resource);
std::string_view ToString(GapCause cause);
std::string_view ToString(IterationSource source);
std::string_view ToString(Direction direction);
// "CPU-bound": "cpu-bound" as a headline.
std::string Headline(Verdict verdict);

// How long one GPU worked within its window.
struct GpuUse {
  DeviceId device;
  Interval window;
  DurationNs busy = 0;         // kernels, copies, memsets: union
  DurationNs kernel_busy = 0;  // kernels: union
};

// Where the time of all GPUs that did any work went. Without such GPUs: the time of the processes,
// with nothing busy or idle.
struct GpuTime {
  std::vector<GpuUse> gpus;
  DurationNs capacity = 0;                             // the sum of their windows
  std::array<DurationNs, kResourceCount> resources{};  // sums to capacity
  std::array<DurationNs, kGapCauseCount> gaps{};       // sums to idle
  DurationNs idle = 0;                                 // capacity - busy
  DurationNs busy = 0;                                 // kernels, copies, memsets: union
  DurationNs kernel_busy = 0;                          // kernels: union
  DurationNs communication = 0;                        // collectives: union
  DurationNs overlapped_communication = 0;             // while other kernels compute
};

// The part of a trace that reports are about: the aggregated iterations, with the work that belongs
// to them and where their time went.
struct RangeSummary : GpuTime {
  // Aggregated iterations, numbers within each source, inclusive; total counts all of one source.
  int64_t first = 0;
  int64_t last = 0;
  int64_t total = 0;
  IterationSource source = IterationSource::kNone;
  std::string explanation;

  // The window of each source: from the start of its first aggregated iteration to the later of the
  // last CPU or GPU end of its last. Empty for a source without rows.
  std::vector<Interval> windows;
  // Of the longest window: the wall clock.
  DurationNs wall = 0;
  DurationNs average_iteration = 0;
  DurationNs iteration_deviation = 0;  // standard deviation of the aggregated iterations' times

  double gpu_utilization = 0;      // kernel_busy / capacity, 0..1
  double gpu_utilization_all = 0;  // busy / capacity

  DurationNs reader_time = 0;    // in the loader's next, all aggregated iterations
  int64_t synchronisations = 0;  // host calls that wait for the GPU, all aggregated iterations
  int64_t samples_per_iteration = kMissing;
  Verdict verdict = Verdict::kUnknown;
  std::string verdict_reason;  // one sentence with the shares it rests on

  int64_t iterations() const { return last - first + 1; }
  // The same of all processes together: totals over it are per step and process.
  int64_t steps() const;
  // Of one process; kMissingReal where the batch size is not known.
  double SamplesPerSecond() const;

  // The part of a gap (row in gaps) that lies in its window; without length where none does.
  Interval PartOfGap(ProfileView profile, size_t gap) const;

  bool Contains(ProfileView profile, IterationId iteration) const {
    if (!IsSet(iteration)) return false;
    const int64_t number = profile.facts.iterations.number[Index(iteration)];
    return number >= first && number <= last;
  }
};

// For the profile's first aggregation.
RangeSummary SummariseRange(ProfileView profile);

}  // namespace warpsight
