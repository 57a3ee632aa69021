#include "importers/xplane/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>

#include "importers/api/bounds.h"

namespace warpsight::importers::xplane {
namespace {

using Spans = std::map<int64_t, Interval>;

void Extend(Spans& spans, int64_t group, Interval times) {
  auto [it, added] = spans.try_emplace(group, times);
  if (added) return;
  it->second.start = std::min(it->second.start, times.start);
  it->second.end = std::max(it->second.end, times.end);
}

void AddRange(int64_t group, Interval times, TracePart& part) {
  if (times.end - times.start > kLongestSlice) return;  // of events with damaged times
  const ThreadId thread = part.Thread("steps", "Steps");
  part.tables.threads.name[Index(thread)] = part.Intern("Steps");
  HostRangesTable& t = part.tables.host;
  t.start.push_back(times.start);
  t.duration.push_back(times.end - times.start);
  t.name.push_back(part.Intern("step"));
  t.thread.push_back(thread);
  t.kind.push_back(HostKind::kAnnotation);
  HostExtrasTable& x = part.tables.host_extras;
  x.args.push_back(part.Intern(fmt::format("{{\"step_num\":{}}}", group)));
  t.extra.push_back(MakeId<HostExtraId>(x.args.size() - 1));
}

}  // namespace

void AddDerivedSteps(std::deque<StretchRows>& rows, TracePart& part) {
  Spans on_gpu, on_host;
  for (const StretchRows& stretch : rows) {
    if (stretch.has_steps) return;
    for (const DerivedStep& step : stretch.derived_steps) Extend(on_gpu, step.group, step.on_gpu);
    for (const auto& [group, times] : stretch.host_spans) Extend(on_host, group, times);
  }
  for (const auto& [group, times] : on_gpu) {
    const auto host = on_host.find(group);
    AddRange(group, host == on_host.end() ? times : host->second, part);
  }
}

}  // namespace warpsight::importers::xplane
