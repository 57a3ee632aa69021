#include "analysis/whatif/profiler_cost.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "analysis/facts/range_names.h"

namespace warpsight {
namespace {

double Env(const char* n, double d) {
  const char* v = getenv(n);
  return v ? atof(v) : d;
}

// Ops that only call one other op.
bool IsThinWrapper(std::string_view name) {
  constexpr std::array kNames = {"aten::t", "aten::transpose", "aten::detach", "aten::reshape",
                                 "aten::empty_like"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

}  // namespace

ProfilerCost EstimateProfilerCost(const Profile& profile) {
  const HostRangesTable& host = profile.trace.tables.host;
  const HostFactsTable& facts = profile.facts.host;
  ByName<bool> thin(profile.trace, IsThinWrapper);
  struct Inner {
    uint32_t count = 0;
    DurationNs time = 0;
  };
  std::vector<Inner> inner(host.start.size());
  for (size_t h = 0; h < host.start.size(); ++h) {
    if (!IsSet(facts.parent[h])) continue;
    Inner& parent = inner[Index(facts.parent[h])];
    ++parent.count;
    parent.time += host.duration[h];
  }
  std::vector<DurationNs> selves;
  for (size_t h = 0; h < host.start.size(); ++h) {
    if (host.kind[h] != HostKind::kOp || inner[h].count != 1 || !thin[host.name[h]]) continue;
    selves.push_back(host.duration[h] - inner[h].time);
  }
  if (selves.size() < 10) return {};
  std::nth_element(selves.begin(), selves.begin() + selves.size() / 2, selves.end());
  const double w = static_cast<double>(selves[selves.size() / 2]);
  return {static_cast<DurationNs>(Env("K", 1.0) * w), static_cast<DurationNs>(Env("C", 1.0) * w)};
}

void RemoveProfilerCost(const ProfilerCost& cost, StepGraph& graph) {
  const double floor = Env("F", 0.25);
  for (CallNode& node : graph.calls) {
    const DurationNs recorded = cost.per_range * node.host_ranges;
    node.work =
        std::max<DurationNs>(static_cast<DurationNs>(floor * node.work), node.work - recorded);
    node.call =
        std::max<DurationNs>(static_cast<DurationNs>(floor * node.call), node.call - cost.per_call);
  }
}

}  // namespace warpsight
