#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/advice/ledger_words.h"
#include "analysis/advice/notable_idle.h"
#include "analysis/advice/rule.h"
#include "analysis/text/format.h"

namespace warpsight::rules::stream_waits {

Rule Define();

namespace {

constexpr size_t kMostEvidence = 5;

// Launched work that could not begin, by name.
struct Held {
  DurationNs time = 0;  // while the GPU was idle, over all aggregated iterations
  int64_t count = 0;
  DurationNs longest = 0;
  GpuId gpu = kNone<GpuId>;   // the work after the longest idle time
  HostId op = kNone<HostId>;  // the op that launched it
  ApiId call = kNone<ApiId>;
};

std::vector<Held> FindHeld(const RuleInput& input) {
  const GapsTable& gaps = input.profile.facts.gaps;
  const GpuActivitiesTable& gpu = input.profile.trace.tables.gpu;
  std::map<StringId, Held> by_name;
  for (size_t i = 0; i < gaps.start.size(); ++i) {
    if (gaps.cause[i] != IdleCause::kDependency) continue;
    const Interval part = input.range.PartOfGap(input.profile, i);
    const DurationNs time = part.end - part.start;
    if (time <= 0) continue;
    const GpuId next = gaps.next[i];
    Held& held = by_name[gpu.name[Index(next)]];
    held.time += time;
    ++held.count;
    if (time <= held.longest) continue;
    held.longest = time;
    held.gpu = next;
    held.op = gaps.op[i];
    held.call = input.profile.facts.gpu.api[Index(next)];
  }
  std::vector<Held> list;
  list.reserve(by_name.size());
  for (const auto& [name, held] : by_name) list.push_back(held);
  std::stable_sort(list.begin(), list.end(),
                   [](const Held& a, const Held& b) { return a.time > b.time; });
  return list;
}

std::string NameOf(const RuleInput& input, const Held& held) {
  const StringId name = input.profile.trace.tables.gpu.name[Index(held.gpu)];
  return std::string(input.work.IsKernel(held.gpu) ? input.ShortName(name)
                                                   : input.profile.trace.Text(name));
}

// "Memcpy DtoH, launched by hipMemcpyWithStream in aten::copy_"
std::string Describe(const RuleInput& input, const Held& held) {
  const Trace& trace = input.profile.trace;
  std::string text = NameOf(input, held);
  if (!IsSet(held.call)) return text;
  text += fmt::format(", launched by {}", trace.Text(trace.tables.api.name[Index(held.call)]));
  if (IsSet(held.op)) {
    text += fmt::format(" in {}", trace.Text(trace.tables.host.name[Index(held.op)]));
  }
  return text;
}

std::string Recommendation(const ProgramKind& program) {
  const std::string_view find =
      "Find the work for which the stream waits: the timeline shows the wait call "
      "(cudaStreamWaitEvent, hipStreamWaitEvent or a host function) before the launch, and what "
      "runs on the other streams until the work begins.";
  const std::string_view change =
      program.framework == Framework::kPytorch
          ? "Wait as late as possible, for an event recorded right after the work that is needed "
            "(stream.wait_event(event)), not for a whole stream (stream.wait_stream(other))."
          : "Wait as late as possible, for an event recorded right after the work that is needed.";
  return fmt::format(
      "{} {} If nothing runs in that time, the cause is outside this recording: another process, a "
      "host function or another rank; record these too.",
      find, change);
}

RuleResult Run(const RuleInput& input) {
  if (input.what_if.empty()) return WithoutGpuWork();
  if (!IsNotableIdle(input.range, IdleCause::kDependency)) return Healthy{};
  const std::vector<Held> held = FindHeld(input);
  if (held.empty()) return Healthy{};
  Finding finding;
  finding.problem = fmt::format(
      "{}: {} it is idle for {} although the next work was already launched, because the stream "
      "of that work waits for an event, a value or a host function.",
      Sentence(Takes(input.range, IdleCause::kDependency)), ScopeOf(input.range),
      input.TimePerStep(input.range.Of(IdleCause::kDependency)));
  finding.recommendation = Recommendation(input.program);
  for (size_t i = 0; i < held.size() && i < kMostEvidence; ++i) {
    finding.evidence.push_back({Describe(input, held[i]), input.PerStep(held[i].time),
                                input.PerStep(static_cast<size_t>(held[i].count)), held[i].op,
                                held[i].gpu});
  }
  finding.confidence = Confidence::kMedium;
  return finding;
}

}  // namespace

Rule Define() { return {"stream-waits", "Launched work waits in its stream", Run}; }

}  // namespace warpsight::rules::stream_waits
