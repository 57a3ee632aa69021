#include "analysis/advice/launches.h"

#include <algorithm>

#include "analysis/facts/range_names.h"

namespace warpsight {
namespace {

// With fewer launches per step, launching cannot significantly delay the step.
constexpr int64_t kManyLaunches = 20;

}  // namespace

bool Launches::SameInEach() const {
  const auto [least, most] = std::minmax_element(per_iteration.begin(), per_iteration.end());
  return least != per_iteration.end() && *least == *most;
}

Launches CountLaunches(const RuleInput& input) {
  const FactTables& facts = input.profile.facts;
  ByName<bool> graph_launch(input.profile.trace, IsGraphLaunch);
  Launches launches;
  launches.per_iteration.resize(facts.iterations.start.size());
  for (const GpuId gpu : input.work.gpu()) {
    ++launches.total;
    ++launches.per_iteration[Index(facts.gpu.iteration[Index(gpu)])];
    const ApiId call = facts.gpu.api[Index(gpu)];
    if (!IsSet(call)) continue;
    launches.by_graph += graph_launch[input.profile.trace.tables.api.name[Index(call)]];
  }
  std::erase(launches.per_iteration, 0);
  return launches;
}

bool GraphsApply(const RuleInput& input, const Launches& launches) {
  return input.range.source != IterationSource::kNone &&
         !input.profile.trace.tables.api.start.empty() && !launches.MostlyByGraph() &&
         input.PerStep(static_cast<size_t>(launches.total)) >= kManyLaunches;
}

}  // namespace warpsight
