#include "analysis/accounting/ledger_lanes.h"

namespace warpsight {
namespace {

// Reads the ledger in the order of iterations and GPUs. Kernels are counted later.
std::vector<LedgerLane> ReadLedger(const FactTables& facts) {
  const LedgerTable& ledger = facts.ledger;
  const GpuWindowsTable& windows = facts.gpu_windows;
  const IterationsTable& iterations = facts.iterations;
  std::vector<LedgerLane> lanes;
  size_t row = 0;
  size_t window = 0;
  for (size_t i = 0; i < RowCount(iterations); ++i) {
    const auto iteration = MakeId<IterationId>(i);
    const size_t first = lanes.size();
    for (; window < windows.start.size() && windows.iteration[window] == iteration; ++window) {
      lanes.push_back(
          {iteration, windows.device[window], {windows.start[window], windows.end[window]}});
    }
    size_t at = first;
    EntryTimes host{};
    for (; row < ledger.entry.size() && ledger.iteration[row] == iteration; ++row) {
      const DeviceId device = ledger.device[row];
      if (!IsSet(device)) {
        host[static_cast<size_t>(ledger.entry[row])] = ledger.time[row];
        continue;
      }
      while (lanes[at].device != device) ++at;  // every GPU has a window
      lanes[at].times[static_cast<size_t>(ledger.entry[row])] = ledger.time[row];
    }
    if (lanes.size() == first) {
      lanes.push_back(
          {iteration, kNone<DeviceId>, {iterations.window_start[i], iterations.window_end[i]}});
    }
    for (size_t lane = first; lane < lanes.size(); ++lane) {
      for (const LedgerEntry entry : kHostEntries) {
        lanes[lane].times[static_cast<size_t>(entry)] = host[static_cast<size_t>(entry)];
      }
    }
  }
  return lanes;
}

// By iteration and device: the number of kernels that the iteration launched.
std::vector<std::vector<int64_t>> LaunchedKernels(ProfileView profile) {
  const TraceTables& tables = profile.trace.tables;
  std::vector<std::vector<int64_t>> counts(profile.facts.iterations.start.size(),
                                           std::vector<int64_t>(tables.devices.ordinal.size()));
  for (size_t g = 0; g < tables.gpu.start.size(); ++g) {
    const IterationId iteration = profile.facts.gpu.iteration[g];
    if (tables.gpu.kind[g] != GpuKind::kKernel || !IsSet(iteration)) continue;
    ++counts[Index(iteration)][Index(profile.trace.DeviceOf(tables.gpu.stream[g]))];
  }
  return counts;
}

}  // namespace

DurationNs LedgerLane::KernelBusy() const {
  return Of(LedgerEntry::kTensorCores) + Of(LedgerEntry::kOtherKernels) +
         Of(LedgerEntry::kCommunication);
}

std::vector<LedgerLane> ReadLedgerLanes(ProfileView profile, const RangeSummary& range) {
  std::vector<bool> counted(RowCount(profile.trace.tables.devices));
  for (const GpuUse& use : range.gpus) counted[Index(use.device)] = true;
  std::vector<LedgerLane> lanes = ReadLedger(profile.facts);
  std::erase_if(lanes, [&](const LedgerLane& lane) {
    return IsSet(lane.device) && !counted[Index(lane.device)] && lane.Busy() == 0;
  });
  const std::vector<std::vector<int64_t>> kernels = LaunchedKernels(profile);
  for (LedgerLane& lane : lanes) {
    if (IsSet(lane.device)) lane.kernels = kernels[Index(lane.iteration)][Index(lane.device)];
  }
  return lanes;
}

}  // namespace warpsight
