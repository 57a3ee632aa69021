#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/advice/rule.h"

namespace warpsight::rules::gpu_unused {

Rule Define();

namespace {

// If the used GPU is busy for a smaller share of the time, it does not limit the program.
constexpr double kBusy = 0.5;

struct Unused {
  std::vector<DeviceId> devices;
  size_t used = 0;
};

std::vector<bool> BusyDevices(const Trace& trace) {
  std::vector<bool> busy(RowCount(trace.tables.devices));
  for (const StreamId stream : trace.tables.gpu.stream) {
    busy[Index(trace.DeviceOf(stream))] = true;
  }
  return busy;
}

// Whether a source is one of several processes of a job: each of them sees all GPUs of its machine
// but uses one.
bool IsOneOfMany(const Trace& trace, size_t source) {
  if (RowCount(trace.tables.sources) > 1 || RowCount(trace.tables.collectives) > 0) return true;
  return trace.tables.sources.world_size[source] > 1 || trace.tables.sources.rank[source] > 0;
}

bool HasCollectiveKernels(const RuleInput& input) {
  const std::vector<KernelKind>& kinds = input.profile.facts.kernel_kinds;
  return std::any_of(kinds.begin(), kinds.end(), [](const KernelKind& kind) {
    return kind.family == KernelFamily::kCollective;
  });
}

std::string Recommendation(const ProgramKind& program, size_t gpus) {
  constexpr std::string_view kHideOthersAdvice =
      " Or leave them to others: CUDA_VISIBLE_DEVICES=0.";
  switch (program.framework) {
    case Framework::kJax:
      return fmt::format("Distribute the work: shard the batch over them with jax.sharding.{}",
                         kHideOthersAdvice);
    case Framework::kTensorflow:
      return fmt::format("Distribute the work: tf.distribute.MirroredStrategy().{}",
                         kHideOthersAdvice);
    case Framework::kPytorch:
      if (!program.trains) break;
      return fmt::format(
          "Distribute the work: torchrun --nproc-per-node={} train.py with model = "
          "torch.nn.parallel.DistributedDataParallel(model, device_ids=[local_rank]) and a "
          "DistributedSampler, so that each GPU processes a part of every batch.{}",
          gpus, kHideOthersAdvice);
    case Framework::kUnknown:
      break;
  }
  return fmt::format("Distribute the work, or run one copy of the program per GPU.{}",
                     kHideOthersAdvice);
}

RuleResult Run(const RuleInput& input) {
  const Trace& trace = input.profile.trace;
  if (trace.tables.devices.source.empty()) return Skipped{"the trace lists no GPUs"};
  if (trace.tables.gpu.start.empty()) return WithoutGpuWork();
  // An inference server is assigned its GPUs; the others may run other servers.
  if (input.program.serves || HasCollectiveKernels(input)) return Healthy{};
  // A program that leaves its GPU idle gains more from keeping that GPU busy.
  if (input.range.gpu_utilization < kBusy) return Healthy{};
  const std::vector<bool> busy = BusyDevices(trace);
  Unused unused;
  for (size_t d = 0; d < busy.size(); ++d) {
    if (busy[d]) {
      ++unused.used;
    } else if (!IsOneOfMany(trace, Index(trace.tables.devices.source[d]))) {
      unused.devices.push_back(MakeId<DeviceId>(d));
    }
  }
  if (unused.devices.empty()) return Healthy{};
  Finding finding;
  finding.problem =
      fmt::format("The program sees {} GPUs and used {} of them in the whole recording.",
                  busy.size(), unused.used);
  finding.recommendation = Recommendation(input.program, busy.size());
  const DevicesTable& devices = trace.tables.devices;
  for (const DeviceId device : unused.devices) {
    const size_t d = Index(device);
    const std::string_view name = trace.Text(devices.name[d]);
    finding.evidence.push_back({fmt::format("GPU {}{}{}: no kernel, copy or memset",
                                            devices.ordinal[d], name.empty() ? "" : ", ", name),
                                kMissing, 0, kNone<HostId>, kNone<GpuId>});
  }
  finding.confidence = Confidence::kLow;
  finding.assumes =
      "the GPUs are free: the recording does not show whether other programs, or other processes "
      "of this one, use them";
  return finding;
}

}  // namespace

Rule Define() { return {"gpu-unused", "The program does not use all GPUs", Run}; }

}  // namespace warpsight::rules::gpu_unused
