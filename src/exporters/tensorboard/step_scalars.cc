#include "exporters/tensorboard/step_scalars.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "model/time_groups.h"

namespace warpsight::exporters::tensorboard {
namespace {

constexpr std::string_view kGpuParts =
    "A part of the step's window on the GPU; the parts sum to it. docs/metrics.md, \"Where the "
    "time goes\".";
constexpr std::string_view kHostParts =
    "What the launching threads did in the step's window; the parts sum to it. docs/metrics.md, "
    "\"Where the time goes\".";
constexpr std::string_view kAllocated =
    "The largest amount that the framework had allocated during the step on the CPU.";
constexpr std::string_view kReserved =
    "The largest amount that the framework's allocator held during the step on the CPU.";

double Milliseconds(DurationNs time) { return static_cast<double>(time) / 1e6; }
double Megabytes(int64_t bytes) { return static_cast<double>(bytes) / 1e6; }
double Percent(DurationNs part, DurationNs whole) {
  return 100 * static_cast<double>(part) / static_cast<double>(whole);
}

// Adds each entry as a time and as a share of the window.
void AddBreakdown(const LedgerLane& lane, std::span<const LedgerEntry> entries,
                  std::string_view place, std::string_view description,
                  std::vector<Scalar>& scalars) {
  if (lane.Length() <= 0) return;
  for (const LedgerEntry entry : entries) {
    const std::string name(ToString(entry));
    scalars.push_back(
        {fmt::format("{} time (ms)", place), name, description, Milliseconds(lane.Of(entry))});
    scalars.push_back({fmt::format("{} time (%)", place), name, description,
                       Percent(lane.Of(entry), lane.Length())});
  }
}

}  // namespace

StepScalars::StepScalars(ProfileView profile, const RangeSummary& range)
    : profile_(profile),
      samples_per_iteration_(range.samples_per_iteration),
      lanes_(ReadLedgerLanes(profile, range)),
      memory_(FindStepMemory(profile)),
      ranks_(RowCount(profile.trace.tables.sources)),
      communicates_(RowCount(profile.trace.tables.devices)) {
  const Column<TensorCores>& known = profile.facts.kernel_names.tensor_cores;
  tensor_cores_known_ = std::any_of(known.begin(), known.end(), [](TensorCores tensor_cores) {
    return tensor_cores != TensorCores::kUnknown;
  });
  FindRanks();
}

void StepScalars::FindRanks() {
  const DevicesTable& devices = profile_.trace.tables.devices;
  const FactTables& facts = profile_.facts;
  std::vector<bool> shown(RowCount(devices));
  for (const LedgerLane& lane : lanes_) {
    if (!IsSet(lane.device)) continue;
    const size_t device = Index(lane.device);
    shown[device] = true;
    if (lane.Of(LedgerEntry::kCommunication) > 0 ||
        lane.Of(LedgerEntry::kHiddenCommunication) > 0) {
      communicates_[device] = true;
    }
  }
  std::vector<int> gpus(ranks_.size());
  for (size_t d = 0; d < shown.size(); ++d) gpus[Index(devices.source[d])] += shown[d] ? 1 : 0;
  std::vector<int> with_memory(ranks_.size());
  for (const StepMemory& memory : memory_) {
    with_memory[Index(memory.source)] += memory.on_cpu ? 0 : 1;
  }
  for (size_t s = 0; s < ranks_.size(); ++s) {
    ranks_[s].many_gpus = std::max(gpus[s], with_memory[s]) > 1;
    ranks_[s].calls = facts.sources.api_calls[s] > 0;
  }
  for (size_t i = 0; i < RowCount(facts.iterations); ++i) {
    if (facts.iterations.reader[i] > 0) ranks_[Index(facts.iterations.source[i])].reads = true;
  }
}

std::vector<Scalar> StepScalars::Of(IterationId iteration) const {
  const size_t row = Index(iteration);
  const Rank& rank = ranks_[Index(profile_.facts.iterations.source[row])];
  const auto first = std::lower_bound(
      lanes_.begin(), lanes_.end(), iteration,
      [](const LedgerLane& lane, IterationId wanted) { return lane.iteration < wanted; });
  std::vector<Scalar> scalars;
  DurationNs longest = 0;
  for (auto lane = first; lane != lanes_.end() && lane->iteration == iteration; ++lane) {
    longest = std::max(longest, lane->Length());
    if (IsSet(lane->device)) {
      AddGpu(*lane, rank, scalars);
    } else {
      AddBreakdown(*lane, kHostEntries, "host", kHostParts, scalars);
    }
  }
  AddStep(row, longest, scalars);
  AddMemory(row, rank, scalars);
  return scalars;
}

void StepScalars::AddStep(size_t iteration, DurationNs time, std::vector<Scalar>& scalars) const {
  const IterationsTable& t = profile_.facts.iterations;
  const Rank& rank = ranks_[Index(t.source[iteration])];
  if (time > 0) {
    scalars.push_back({"step", "time (ms)",
                       "The step's window on the GPU that takes longest; in the process, if no GPU "
                       "worked on it.",
                       Milliseconds(time)});
    const double per_second = 1e9 / static_cast<double>(time);
    if (samples_per_iteration_ == kMissing) {
      scalars.push_back({"throughput", "iterations per second", "1 / step time.", per_second});
    } else {
      scalars.push_back({"throughput", "samples per second",
                         "Batch size / step time. The batch size was given, recorded, or estimated "
                         "from shapes.",
                         static_cast<double>(samples_per_iteration_) * per_second});
    }
  }
  scalars.push_back({"step", "batch cost (ms)", "The step's duration on the CPU.",
                     Milliseconds(t.end[iteration] - t.start[iteration])});
  if (rank.reads) {
    scalars.push_back({"step", "reader cost (ms)", "Time in the data loader's next.",
                       Milliseconds(t.reader[iteration])});
  }
  if (!rank.calls) return;
  scalars.push_back({"host", "launches", "CUDA calls of the step that launched GPU work.",
                     static_cast<double>(t.launches[iteration])});
  scalars.push_back({"host", "host synchronizations",
                     "How often a launching thread waited for the GPU.",
                     static_cast<double>(t.synchronizations[iteration])});
}

std::string StepScalars::NameOfGpu(const Rank& rank, int64_t number) {
  return rank.many_gpus ? fmt::format("GPU {}", number) : "GPU";
}

void StepScalars::AddGpu(const LedgerLane& lane, const Rank& rank,
                         std::vector<Scalar>& scalars) const {
  const size_t device = Index(lane.device);
  const std::string gpu = NameOfGpu(rank, profile_.trace.tables.devices.ordinal[device]);
  AddBreakdown(lane, kGpuEntries, gpu, kGpuParts, scalars);
  scalars.push_back(
      {gpu, "kernels", "Kernels that the step launched.", static_cast<double>(lane.kernels)});
  if (lane.Length() > 0) {
    scalars.push_back({gpu, "utilization (%)", "Part of the step's window in which kernels ran.",
                       Percent(lane.KernelBusy(), lane.Length())});
  }
  if (lane.KernelBusy() > 0 && tensor_cores_known_) {
    scalars.push_back({gpu, "Tensor Core share (%)",
                       "Part of the time in which kernels ran in which one of them used Tensor "
                       "Cores.",
                       Percent(lane.Of(LedgerEntry::kTensorCores), lane.KernelBusy())});
  }
  if (!communicates_[device]) return;
  for (const LedgerEntry entry : {LedgerEntry::kCommunication, LedgerEntry::kHiddenCommunication}) {
    scalars.push_back({gpu + " communication (ms)", std::string(ToString(entry)),
                       entry == LedgerEntry::kCommunication
                           ? "Collectives while no compute kernel ran."
                           : "Collectives overlapped with compute kernels.",
                       Milliseconds(lane.Of(entry))});
  }
}

void StepScalars::AddMemory(size_t iteration, const Rank& rank,
                            std::vector<Scalar>& scalars) const {
  for (const StepMemory& memory : memory_) {
    const StepMemory::Peak& largest = memory.largest[iteration];
    if (largest.allocated == kMissing) continue;
    const std::string group =
        (memory.on_cpu ? "CPU" : NameOfGpu(rank, memory.device)) + " memory (MB)";
    scalars.push_back({group, "allocated", kAllocated, Megabytes(largest.allocated)});
    // PyTorch records 0 for the CPU, on which it does not reserve memory.
    if (memory.on_cpu || largest.reserved == kMissing) continue;
    scalars.push_back({group, "reserved", kReserved, Megabytes(largest.reserved)});
  }
}

}  // namespace warpsight::exporters::tensorboard
