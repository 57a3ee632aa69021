#include "analysis/aggregation/roofline_table.h"

#include <algorithm>
#include <tuple>

#include "model/hash_map.h"

namespace warpsight {
namespace {

// The GPU time of one call: the union of its activities, which arrive ordered by start.
struct CallTime {
  HostId op;
  uint32_t row;
  DeviceId device;
  TimeNs end = 0;
  DurationNs length = 0;

  void Add(TimeNs start, DurationNs duration) {
    const TimeNs stop = start + duration;
    length += std::max<DurationNs>(0, stop - std::max(start, end));
    end = std::max(end, stop);
  }
};

}  // namespace

void CostedWork::Add(const OpCost& added, DurationNs duration,
                     const std::optional<GpuPeaks>& peaks) {
  ++calls;
  time += duration;
  if (!added.known()) {
    gap = added.gap;
    return;
  }
  const double light = peaks ? SpeedOfLightNs(added, *peaks) : kMissingReal;
  speed_of_light_ns =
      IsKnown(light) && IsKnown(speed_of_light_ns) ? speed_of_light_ns + light : kMissingReal;
  Accumulate(cost, added);
  ++known_calls;
  known_time += duration;
}

Roofline CostedWork::Against(const std::optional<GpuPeaks>& peaks) const {
  if (!known()) return {};
  // The achieved rates are known even without peaks.
  return MakeRoofline(cost, known_time, peaks.value_or(GpuPeaks()), speed_of_light_ns);
}

double CostedWork::Potential() const {
  if (!known() || !IsKnown(speed_of_light_ns)) return kMissingReal;
  return std::max(0.0, static_cast<double>(known_time) - speed_of_light_ns);
}

RooflineTable::RooflineTable(const ReportInput& input, const OpTable& ops, const CostModel& model) {
  const Trace& trace = input.profile.trace;
  const FactTables& facts = input.profile.facts;
  const GpuActivitiesTable& gpu = trace.tables.gpu;
  constexpr uint32_t kNoCall = UINT32_MAX;
  std::vector<uint32_t> call_of_host(RowCount(trace.tables.host), kNoCall);
  std::vector<CallTime> calls;
  const MeasuredKernels measured(trace);
  HashMap<std::tuple<StringId, uint32_t>, size_t> kernel_rows;
  ops_.resize(ops.ops().size());
  for (size_t i = 0; i < gpu.start.size(); ++i) {
    const GpuId id = MakeId<GpuId>(i);
    const uint32_t row = ops.RowOf(id);
    if (row == OpTable::kOutside) continue;
    const DeviceId device = trace.DeviceOf(gpu.stream[i]);
    const auto [at, is_new] =
        kernel_rows.try_emplace(std::tuple(gpu.name[i], row), kernels_.size());
    if (is_new) kernels_.push_back({gpu.name[i], gpu.kind[i], row, {}, id});
    CostedKernel& kernel = kernels_[at->second];
    if (gpu.duration[i] > gpu.duration[Index(kernel.longest)]) kernel.longest = id;
    kernel.work.Add(model.CostOf(id), gpu.duration[i], model.PeaksOf(device));
    if (gpu.kind[i] == GpuKind::kKernel) {
      const MeasuredKernel* counted = measured.Find(id);
      kernel.work.counters.Add(counted, gpu.duration[i]);
      ops_[row].counters.Add(counted, gpu.duration[i]);
    }

    const HostId op = CountedOp(facts, facts.gpu.op[i]);
    if (!IsSet(op) || model.IsStated(id)) {
      // For work without an op, the kernel has the reason why there is no cost.
      const bool kernel_says = model.IsStated(id) || gpu.kind[i] == GpuKind::kKernel;
      const OpCost cost = kernel_says ? model.CostOf(id) : model.CostOf(op);
      ops_[row].Add(cost, gpu.duration[i], model.PeaksOf(device));
      continue;
    }
    uint32_t& call = call_of_host[Index(op)];
    if (call == kNoCall) {
      call = static_cast<uint32_t>(calls.size());
      calls.push_back({op, row, device, 0, 0});
    }
    calls[call].Add(gpu.start[i], gpu.duration[i]);
  }
  for (const CallTime& call : calls) {
    ops_[call.row].Add(model.CostOf(call.op), call.length, model.PeaksOf(call.device));
  }
}

}  // namespace warpsight
