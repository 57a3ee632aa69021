#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/advice/ledger_words.h"
#include "analysis/advice/rule.h"
#include "analysis/facts/copy_rate.h"

namespace warpsight::rules::pinned_memory {

Rule Define();

namespace {

// The rate of large copies from pinned memory in bytes per second, if the trace contains none: that
// of PCIe of the GPU's generation (Hopper 5.0, Ampere 4.0, older 3.0; measured on an H200: 50 to 55
// GB/s).
double PinnedRate(int64_t compute_major) {
  if (compute_major >= 9) return 50e9;
  return compute_major == 8 ? 24e9 : 12e9;
}
constexpr double kCopyStart = 4'000;
// Smaller copies take equally long from both kinds of memory.
constexpr int64_t kLarge = 64 << 10;
// Copies of at least this size show the rate of the link.
constexpr int64_t kRateBytes = 4 << 20;

struct Copies {
  std::vector<GpuId> list;
  DurationNs time = 0;
  double bytes = 0;
  double transfer = 0;  // seconds, from rates, since durations may be rounded
  int64_t pageable = 0;
  double pinned_rate = 0;  // as measured in the trace
};

// By stream: whether it runs kernels.
std::vector<bool> ComputeStreams(const RuleInput& input) {
  std::vector<bool> compute(RowCount(input.profile.trace.tables.streams));
  for (const GpuId gpu : input.work.gpu()) {
    if (input.work.IsKernel(gpu)) {
      compute[Index(input.profile.trace.tables.gpu.stream[Index(gpu)])] = true;
    }
  }
  return compute;
}

Copies FindCopies(const RuleInput& input) {
  const GpuActivitiesTable& gpu = input.profile.trace.tables.gpu;
  const std::vector<bool> compute = ComputeStreams(input);
  Copies copies;
  for (const GpuId id : input.work.gpu()) {
    const size_t g = Index(id);
    if (gpu.kind[g] != GpuKind::kCopy || gpu.copy_direction[g] != CopyDirection::kHostToDevice) {
      continue;
    }
    const bool pageable = gpu.host_memory[g] == HostMemory::kPageable;
    if (gpu.bytes[g] == kMissing || gpu.bytes[g] < kLarge) continue;
    const double rate = CopyRate(input.profile.trace, id);
    if (!pageable && gpu.bytes[g] >= kRateBytes) {
      copies.pinned_rate = std::max(copies.pinned_rate, rate);
    }
    if (!pageable && !compute[Index(gpu.stream[g])]) continue;
    copies.list.push_back(id);
    copies.time += gpu.duration[g];
    copies.bytes += static_cast<double>(gpu.bytes[g]);
    if (rate > 0) copies.transfer += static_cast<double>(gpu.bytes[g]) / rate;
    copies.pageable += pageable;
  }
  return copies;
}

RuleResult Run(const RuleInput& input) {
  if (input.what_if.empty()) return WithoutGpuWork();
  Copies copies = FindCopies(input);
  if (copies.list.empty()) return Healthy{};
  const Trace& trace = input.profile.trace;
  const GpuActivitiesTable& gpu = trace.tables.gpu;
  const DeviceId device = trace.DeviceOf(gpu.stream[Index(copies.list.front())]);
  const double rate = copies.pinned_rate > 0
                          ? copies.pinned_rate
                          : PinnedRate(trace.tables.devices.compute_major[Index(device)]);
  const double steps = static_cast<double>(input.what_if.steps());
  Finding finding;
  finding.problem = fmt::format(
      "{} per step are copied to the GPU {}: {}{}; {}.", FormatBytes(copies.bytes / steps),
      copies.pageable > 0 ? "from pageable memory" : "on the stream that computes",
      input.TimePerStep(copies.time),
      copies.transfer > 0 ? fmt::format(" at {}/s", FormatBytes(copies.bytes / copies.transfer))
                          : "",
      Takes(input.range, LedgerEntry::kCopies));
  finding.recommendation =
      "Pin the memory and copy ahead: DataLoader(..., pin_memory=True), x = x.to(device, "
      "non_blocking=True), and fetch the next batch on a side stream (with "
      "torch.cuda.stream(copy): "
      "next_x = ...; torch.cuda.current_stream().wait_stream(copy) before use). In CUDA C++: "
      "cudaMallocHost and cudaMemcpyAsync on a second stream.";
  finding.evidence.push_back({"copies to the GPU", input.PerStep(copies.time),
                              input.PerStep(copies.list.size()), kNone<HostId>,
                              copies.list.front()});
  finding.confidence = Confidence::kHigh;
  finding.assumes =
      fmt::format("the link gives {:.0f} GB/s from pinned memory{}", rate / 1e9,
                  copies.pinned_rate > 0 ? ", as other copies of this trace show" : "");
  finding.edit = [&input, list = std::move(copies.list), rate](Scenario& scenario) {
    const GpuActivitiesTable& table = input.profile.trace.tables.gpu;
    for (const GpuId copy : list) {
      const double ns = kCopyStart + static_cast<double>(table.bytes[Index(copy)]) / rate * 1e9;
      scenario.SetDuration(copy, std::min(scenario.DurationOf(copy), static_cast<DurationNs>(ns)));
      const ApiId call = input.profile.facts.gpu.api[Index(copy)];
      if (IsSet(call)) scenario.MakeAsynchronous(call);
    }
    scenario.MoveToOwnStream(list);
  };
  return finding;
}

}  // namespace

Rule Define() { return {"pinned-memory", "Copies without overlap", Run}; }

}  // namespace warpsight::rules::pinned_memory
