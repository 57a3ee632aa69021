#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "analysis/advice/rule.h"

namespace warpsight::rules::gpu_unused {

Rule Define();

namespace {

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
// and uses one.
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

RuleResult Run(const RuleInput& input) {
  const Trace& trace = input.profile.trace;
  if (trace.tables.devices.source.empty()) return Skipped{"the trace lists no GPUs"};
  if (trace.tables.gpu.start.empty()) return WithoutGpuWork();
  const std::vector<bool> busy = BusyDevices(trace);
  Unused unused;
  for (size_t d = 0; d < busy.size(); ++d) {
    if (busy[d]) {
      ++unused.used;
    } else if (!IsOneOfMany(trace, Index(trace.tables.devices.source[d]))) {
      unused.devices.push_back(MakeId<DeviceId>(d));
    }
  }
  if (unused.devices.empty() || HasCollectiveKernels(input)) return Healthy{};
  Finding finding;
  const size_t count = unused.devices.size();
  finding.problem =
      fmt::format("{} of the {} GPUs that the program sees did nothing in the whole recording.",
                  count, busy.size());
  finding.recommendation = fmt::format(
      "Use them: torchrun --nproc-per-node={} train.py with model = "
      "torch.nn.parallel.DistributedDataParallel(model, device_ids=[local_rank]) and a "
      "DistributedSampler, so that each GPU takes a part of every batch. In JAX: shard the batch "
      "with jax.sharding. Or leave them to others: CUDA_VISIBLE_DEVICES=0.",
      busy.size());
  const DevicesTable& devices = trace.tables.devices;
  for (const DeviceId device : unused.devices) {
    const size_t d = Index(device);
    const std::string_view name = trace.Text(devices.name[d]);
    finding.evidence.push_back({fmt::format("GPU {}{}{}: no kernel, copy or memset",
                                            devices.ordinal[d], name.empty() ? "" : ", ", name),
                                kMissing, 0, kNone<HostId>, kNone<GpuId>});
  }
  finding.confidence = Confidence::kMedium;
  finding.assumes =
      "the GPUs are free; a program that was profiled in one of its processes only would look the "
      "same";
  return finding;
}

}  // namespace

Rule Define() { return {"gpu-unused", "A GPU did nothing", Run}; }

}  // namespace warpsight::rules::gpu_unused
