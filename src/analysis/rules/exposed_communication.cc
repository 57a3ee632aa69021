#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/advice/ledger_words.h"
#include "analysis/advice/rule.h"
#include "analysis/roofline/collectives.h"
#include "analysis/text/format.h"
#include "base/intervals.h"

namespace warpsight::rules::exposed_communication {

Rule Define();

namespace {

// The share of the step from which the rule fires. Others call communication above 10 % of the step
// high, whether or not it is overlapped (PyTorch Profiler TensorBoard plugin, distributed view;
// metrics.md). Exposed communication costs its full length, so the threshold is half of that, as
// for data loading.
constexpr double kNotable = 0.05;

struct Kind {
  DurationNs time = 0;
  DurationNs exposed = 0;
  double bytes = 0;  // as far as recorded
  int64_t count = 0;
  GpuId longest = kNone<GpuId>;
};

struct Communication {
  std::vector<std::vector<GpuId>> by_stream;
  std::map<std::string, Kind> kinds;
};

CollectiveId CollectiveOf(const Trace& trace, GpuId gpu) {
  const GpuExtraId extra = trace.tables.gpu.extra[Index(gpu)];
  return IsSet(extra) ? trace.tables.gpu_extras.collective[Index(extra)] : kNone<CollectiveId>;
}

double BytesOf(const Trace& trace, CollectiveId id) {
  if (!IsSet(id)) return 0;
  const CollectivesTable& t = trace.tables.collectives;
  const int64_t elements = std::max(t.elements_in[Index(id)], t.elements_out[Index(id)]);
  const double element = CollectiveElementBytes(trace.Text(t.dtype[Index(id)]));
  return elements > 0 && element > 0 ? static_cast<double>(elements) * element : 0;
}

std::string NameOf(const RuleInput& input, GpuId gpu, CollectiveId collective) {
  const Trace& trace = input.profile.trace;
  if (IsSet(collective)) {
    const std::string_view name = trace.Text(trace.tables.collectives.name[Index(collective)]);
    if (!name.empty()) return std::string(name);
  }
  return std::string(input.ShortName(trace.tables.gpu.name[Index(gpu)]));
}

bool Communicates(const RuleInput& input, GpuId gpu) {
  return input.work.IsKernel(gpu) && input.work.KindOf(gpu).family == KernelFamily::kCollective;
}

// By device: the times in which it computed.
std::vector<IntervalSet> ComputeTimes(const RuleInput& input) {
  const Trace& trace = input.profile.trace;
  const GpuActivitiesTable& gpu = trace.tables.gpu;
  std::vector<std::vector<Interval>> times(RowCount(trace.tables.devices));
  for (size_t g = 0; g < gpu.start.size(); ++g) {
    const auto id = MakeId<GpuId>(g);
    if (!input.work.IsKernel(id) || Communicates(input, id)) continue;
    times[Index(trace.DeviceOf(gpu.stream[g]))].push_back(
        {gpu.start[g], gpu.start[g] + gpu.duration[g]});
  }
  std::vector<IntervalSet> sets;
  sets.reserve(times.size());
  for (const auto& list : times) sets.push_back(IntervalSet::FromSorted(list));
  return sets;
}

Communication FindCommunication(const RuleInput& input) {
  const Trace& trace = input.profile.trace;
  const GpuActivitiesTable& gpu = trace.tables.gpu;
  Communication found;
  found.by_stream.resize(RowCount(trace.tables.streams));
  std::vector<GpuId> all;
  for (const GpuId id : input.work.gpu()) {
    if (Communicates(input, id)) all.push_back(id);
  }
  if (all.empty()) return found;
  const std::vector<IntervalSet> compute = ComputeTimes(input);
  for (const GpuId id : all) {
    const size_t g = Index(id);
    const size_t device = Index(trace.DeviceOf(gpu.stream[g]));
    const Interval interval = {gpu.start[g], gpu.start[g] + gpu.duration[g]};
    const CollectiveId collective = CollectiveOf(trace, id);
    found.by_stream[Index(gpu.stream[g])].push_back(id);
    Kind& kind = found.kinds[NameOf(input, id, collective)];
    kind.time += gpu.duration[g];
    kind.exposed += gpu.duration[g] - compute[device].LengthWithin(interval);
    kind.bytes += BytesOf(trace, collective);
    ++kind.count;
    if (!IsSet(kind.longest) || gpu.duration[g] > gpu.duration[Index(kind.longest)]) {
      kind.longest = id;
    }
  }
  return found;
}

std::vector<Evidence> Describe(const RuleInput& input, const Communication& found) {
  std::vector<std::pair<std::string, Kind>> sorted(found.kinds.begin(), found.kinds.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second.exposed > b.second.exposed;
  });
  std::vector<Evidence> evidence;
  for (size_t i = 0; i < sorted.size() && i < 5; ++i) {
    const Kind& kind = sorted[i].second;
    std::string text =
        fmt::format("{}, {} of it exposed", sorted[i].first, input.TimePerStep(kind.exposed));
    if (kind.bytes > 0) {
      text += ", " + FormatBytes(kind.bytes / static_cast<double>(input.what_if.steps()));
    }
    evidence.push_back({std::move(text), input.PerStep(kind.time),
                        input.PerStep(static_cast<size_t>(kind.count)), kNone<HostId>,
                        kind.longest});
  }
  return evidence;
}

std::string Recommendation(const ProgramKind& program) {
  constexpr std::string_view kPath =
      " Check the path: nvidia-smi topo -m should show NVLink (NV#) between the GPUs, and "
      "NCCL_DEBUG=INFO shows the path that NCCL uses.";
  std::string_view change;
  if (program.framework == Framework::kJax) {
    change =
        "Let XLA overlap them: XLA_FLAGS=--xla_gpu_enable_latency_hiding_scheduler=true. "
        "Communicate less: a larger batch per GPU, bfloat16 gradients, another sharding.";
  } else if (program.framework == Framework::kPytorch && program.trains) {
    change =
        "Overlap them with the backward pass: DistributedDataParallel(model, bucket_cap_mb=50, "
        "gradient_as_bucket_view=True, static_graph=True) sends gradients in buckets while others "
        "are computed; under FSDP: forward_prefetch=True, "
        "backward_prefetch=BackwardPrefetch.BACKWARD_PRE, limit_all_gathers=True. Communicate less "
        "often: gradient accumulation with model.no_sync() for all but the last part, or a larger "
        "batch per GPU; in 16 bits: bf16_compress_hook.";
  } else if (program.serves || program.framework == Framework::kPytorch) {
    change =
        "Split the model over fewer GPUs and run more copies of it, if it fits; overlap "
        "collectives of one part of the batch with the computation of another; for small messages, "
        "use the server's custom all-reduce or NCCL's symmetric memory instead of rings.";
  } else {
    change =
        "Overlap them: run collectives on a separate stream, synchronized with the compute stream "
        "by events.";
  }
  return fmt::format("{}{}", change, kPath);
}

RuleResult Run(const RuleInput& input) {
  if (input.what_if.empty()) return WithoutGpuWork();
  Communication found = FindCommunication(input);
  if (found.kinds.empty()) return Skipped{"the step contains no collectives"};
  const double share = input.range.Share(input.range.Of(LedgerEntry::kCommunication));
  if (share < kNotable) return Healthy{};
  Finding finding;
  finding.problem =
      fmt::format("{}; {} of all communication is hidden behind compute kernels.",
                  Sentence(Takes(input.range, LedgerEntry::kCommunication)),
                  FormatShare(static_cast<double>(input.range.overlapped_communication),
                              static_cast<double>(input.range.communication)));
  finding.recommendation = Recommendation(input.program);
  finding.evidence = Describe(input, found);
  finding.confidence = Confidence::kLow;
  finding.assumes =
      "all communication can overlap compute kernels without slowing either down (the best case). "
      "Collectives that only wait for a slower rank get shorter if the ranks are balanced instead";
  finding.edit = [streams = std::move(found.by_stream)](Scenario& scenario) {
    for (const std::vector<GpuId>& stream : streams) {
      if (!stream.empty()) scenario.MoveToOwnStream(stream);
    }
  };
  return finding;
}

}  // namespace

Rule Define() { return {"exposed-communication", "Collectives without overlap", Run}; }

}  // namespace warpsight::rules::exposed_communication
