#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/advice/rule.h"
#include "analysis/facts/trust_sentence.h"
#include "base/intervals.h"

namespace warpsight::rules::trust {

Rule Define();

namespace {

// From this share on, unattributed work changes figures and rankings of ops by more than the
// display threshold of findings (the same 5 % from which a share of the step counts as notable).
constexpr double kUnattributed = 0.05;
// If more than this share of the work comes from CUDA graphs, work without an op is expected.
constexpr double kMostlyGraphs = 0.5;

struct Remedy {
  std::string_view code;
  double from;  // a share; serious limits always count
  std::string_view text;
};

// Limits that affect only one column (kernels of unknown kind, Tensor Core use) are not listed.
constexpr Remedy kRemedies[] = {
    {"no_gpu_work", 1,
     "Record the GPU: profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]), and check "
     "that the model is on it (model.to(\"cuda\")) and that no other profiler holds CUPTI."},
    {"file_truncated", 0.5,
     "Let the profiler finish writing (leave its `with` block, or prof.stop()) before copying the "
     "file, and check for a full disk."},
    {"events_skipped", 0.01,
     "`warpsight query PROFILE \"SELECT * FROM import_log\"` lists what is damaged; record fewer "
     "steps (schedule(active=3)) if buffers overflow, or export again."},
    {"events_changed", 0.01,
     "`warpsight query PROFILE \"SELECT * FROM import_log\"` lists the impossible values, such as "
     "negative durations: record again with a newer profiler, or check the program that wrote the "
     "file."},
    {"parts_unread", 0.5,
     "`warpsight query PROFILE \"SELECT * FROM import_log\"` lists what is missing; export or copy "
     "the file again."},
    {"files_changed", 0.5,
     "Let the profiler finish writing, or the copy end, before importing; then import again."},
    {"gpu_work_without_launch", kUnattributed,
     "Record the CPU side too (ProfilerActivity.CPU, nsys --trace=cuda) and begin recording before "
     "the step: schedule(wait=1, warmup=2, active=5)."},
    {"launches_without_work", kUnattributed,
     "Synchronize before recording ends (torch.cuda.synchronize(), then prof.stop()), and record "
     "fewer steps if the GPU's buffers overflow."},
    {"gpu_work_before_launch", 0.01,
     "The clocks of CPU and GPU differ: use a longer warm-up, a newer CUPTI, and do not adjust the "
     "machine's clock while recording. Gaps and launch delays are unreliable."},
    {"stream_overlap_ns", kUnattributed,
     "Work of one stream overlaps: do not merge files of several processes into one, and record "
     "again without other tools attached."},
    {"external_id_mismatches", kUnattributed,
     "Ops and launches disagree: record with a newer PyTorch, or without with_stack=True."},
    {"gpu_time_without_op_ns", kUnattributed,
     "GPU work without an op: record CPU ops as well (ProfilerActivity.CPU); annotate work of your "
     "own extensions with torch.profiler.record_function or NVTX. In JAX: keep the HLO metadata."},
    {"profiler_overhead_ns", 0.25,
     "The profiler takes much of the time: leave out with_stack, profile_memory and record_shapes "
     "for timing, and record fewer steps."}};

const Remedy* RemedyFor(const TrustLimit& limit) {
  for (const Remedy& remedy : kRemedies) {
    if (remedy.code != limit.code) continue;
    return limit.serious || limit.share >= remedy.from ? &remedy : nullptr;
  }
  return nullptr;
}

// The profiler's setup before the first step, which takes longer than everything after it, does not
// count. If the GPU always has work, additional CPU work does not affect it.
double OverheadShare(const RuleInput& input) {
  if (input.range.verdict == TimeGroup::kKernels) return 0;
  const Trace& trace = input.profile.trace;
  const HostRangesTable& host = trace.tables.host;
  std::vector<std::vector<Interval>> times(RowCount(trace.tables.sources));
  for (size_t h = 0; h < host.start.size(); ++h) {
    if (host.kind[h] != HostKind::kOverhead) continue;
    times[Index(trace.SourceOf(host.thread[h]))].push_back(
        {host.start[h], host.start[h] + host.duration[h]});
  }
  double most = 0;
  for (size_t s = 0; s < times.size(); ++s) {
    const Interval window = input.range.windows[s];
    if (window.end <= window.start) continue;
    const DurationNs inside = IntervalSet::FromSorted(times[s]).LengthWithin(window);
    most = std::max(most,
                    static_cast<double>(inside) / static_cast<double>(window.end - window.start));
  }
  return most;
}

// Recordings often begin with work that was launched earlier. Only limits within the aggregated
// iterations affect the figures.
double ShareOfSteps(const RuleInput& input, std::string_view code) {
  const GpuFactsTable& facts = input.profile.facts.gpu;
  int64_t without_launch = 0;
  DurationNs total = 0, without_op = 0;
  for (const GpuId gpu : input.work.gpu()) {
    total += input.work.DurationOf(gpu);
    if (!IsSet(facts.op[Index(gpu)])) without_op += input.work.DurationOf(gpu);
    without_launch += !IsSet(facts.api[Index(gpu)]);
  }
  const auto share = [](auto part, auto all) {
    return static_cast<double>(part) / static_cast<double>(std::max<decltype(all)>(1, all));
  };
  if (code == "gpu_work_without_launch") return share(without_launch, input.work.gpu().size());
  if (code == "gpu_time_without_op_ns") return share(without_op, total);
  if (code == "profiler_overhead_ns") return OverheadShare(input);
  return 1;
}

RuleResult Run(const RuleInput& input) {
  const std::vector<TrustLimit> limits = TrustLimits(input.profile);
  const bool graphs = std::any_of(limits.begin(), limits.end(), [](const TrustLimit& limit) {
    return limit.code == "gpu_work_from_graphs" && limit.share >= kMostlyGraphs;
  });
  Finding finding;
  std::string problems;
  for (const TrustLimit& limit : limits) {
    const Remedy* remedy = RemedyFor(limit);
    if (remedy == nullptr) continue;
    if (ShareOfSteps(input, limit.code) < remedy->from) continue;
    if (graphs && limit.code == "gpu_time_without_op_ns") continue;
    problems += fmt::format("{}{}", problems.empty() ? "" : "; ", limit.text);
    if (!finding.recommendation.empty()) finding.recommendation += ' ';
    finding.recommendation += remedy->text;
    finding.evidence.push_back({limit.text, kMissing, kMissing, kNone<HostId>, kNone<GpuId>});
  }
  if (finding.evidence.empty()) return Healthy{};
  finding.problem = fmt::format("The numbers of this profile are limited: {}.", problems);
  finding.confidence = Confidence::kHigh;
  return finding;
}

}  // namespace

Rule Define() { return {"trust", "The recording is incomplete or damaged", Run}; }

}  // namespace warpsight::rules::trust
