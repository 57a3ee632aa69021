#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "analysis/advice/ledger_words.h"
#include "analysis/advice/rule.h"
#include "analysis/facts/range_names.h"
#include "base/text.h"

namespace warpsight::rules::input_bound {

Rule Define();

namespace {

// With enough workers, a batch is ready: fetching it only takes it from a queue and sends the next
// index, which takes 0.1 to 0.3 ms.
constexpr DurationNs kReadyBatch = 200'000;
// From this share on, the rule fires (metrics.md: moderate from 5 % on).
constexpr double kNotable = 0.05;

struct Loader {
  CpuTimes times;  // time in the loader's next beyond fetching a ready batch
  DurationNs total = 0;
  int64_t calls = 0;
  HostId longest = kNone<HostId>;
  bool workers = false;  // the loader already uses worker processes
};

Loader FindLoader(const RuleInput& input) {
  const Trace& trace = input.profile.trace;
  const HostRangesTable& host = trace.tables.host;
  Loader loader;
  CpuTimesCollector times(trace);
  RangeNames names(trace);
  for (size_t h = 0; h < host.start.size(); ++h) {
    if (host.kind[h] != HostKind::kAnnotation || !names[host.name[h]].loader_next) continue;
    if (!input.range.Contains(input.profile, input.profile.facts.host.iteration[h])) continue;
    ++loader.calls;
    loader.total += host.duration[h];
    loader.workers |= Contains(trace.Text(host.name[h]), "MultiProcessing");
    if (!IsSet(loader.longest) || host.duration[h] > host.duration[Index(loader.longest)]) {
      loader.longest = MakeId<HostId>(h);
    }
    if (host.duration[h] <= kReadyBatch) continue;
    times.Add(host.thread[h], {host.start[h] + kReadyBatch, host.start[h] + host.duration[h]});
  }
  loader.times = times.Take();
  return loader;
}

RuleResult Run(const RuleInput& input) {
  const Loader loader = FindLoader(input);
  if (loader.calls == 0) return Skipped{"the trace contains no DataLoader"};
  const DurationNs per_step = input.PerStep(loader.total);
  const double share = input.range.Share(input.range.Of(IdleCause::kData));
  if (share < kNotable) return Healthy{};
  Finding finding;
  finding.problem = fmt::format(
      "{}: fetching a batch takes {} per step{}.", Sentence(Takes(input.range, IdleCause::kData)),
      input.TimePerStep(loader.total),
      loader.workers ? ", although worker processes prepare them"
                     : ", on the thread that also launches the GPU work (num_workers=0)");
  // Workers prepare batches in parallel: the number that keeps up with a step without the loader.
  const DurationNs rest = std::max<DurationNs>(1, input.what_if.step() - per_step);
  const auto workers = std::clamp<int64_t>((per_step + rest - 1) / rest + 1, 2, 64);
  finding.recommendation =
      loader.workers
          ? std::string(
                "Use more loader processes and let them run ahead: DataLoader(..., "
                "num_workers=<more>, prefetch_factor=4, pin_memory=True, persistent_workers=True). "
                "If the machine has no cores left, decode less per sample: smaller images on disk, "
                "or decode on the GPU (nvJPEG, NVIDIA DALI).")
          : fmt::format(
                "Prepare batches in other processes: DataLoader(..., num_workers={}, "
                "pin_memory=True, persistent_workers=True, prefetch_factor=4) and "
                "batch.to(device, non_blocking=True).",
                workers);
  finding.evidence.push_back({"longest wait for a batch", per_step,
                              input.PerStep(static_cast<size_t>(loader.calls)), loader.longest,
                              kNone<GpuId>});
  finding.confidence = loader.workers ? Confidence::kLow : Confidence::kHigh;
  finding.assumes = fmt::format(
      "the machine has enough cores for the workers, and reading and decoding scale with their "
      "number (about {} batches in preparation at a time)",
      workers);
  finding.edit = [times = loader.times](Scenario& scenario) { scenario.RemoveCpuTime(times); };
  return finding;
}

}  // namespace

Rule Define() { return {"input-bound", "The GPU waits for the data loader", Run}; }

}  // namespace warpsight::rules::input_bound
