#include "analysis/aggregation/call_numbers.h"

#include <algorithm>

#include "analysis/facts/api_version.h"
#include "analysis/facts/marked_functions.h"

namespace warpsight {

CallNumbers::CallNumbers(ProfileView profile)
    : trace_(profile.trace), marked_(SourcesWithMarkedFunctions(profile.trace)) {
  if (std::find(marked_.begin(), marked_.end(), true) == marked_.end()) return;
  const FactTables& facts = profile.facts;
  const HostRangesTable& host = trace_.tables.host;
  const ApiCallsTable& api = trace_.tables.api;

  hosts_.resize(host.start.size());
  HashMap<std::tuple<StringId, StringId, Direction, IterationId>, uint32_t> functions;
  for (size_t h = 0; h < hosts_.size(); ++h) {
    if (facts.host.op[h] != MakeId<HostId>(h) || !IsFunctionPlace(trace_.RecordedPath(h))) continue;
    const StringId place = trace_.tables.host_extras.module_hierarchy[Index(host.extra[h])];
    hosts_[h] =
        functions[{place, host.name[h], facts.host.direction[h], facts.host.iteration[h]}]++;
  }

  calls_.resize(api.start.size());
  ApiVersions versions;
  HashMap<std::tuple<StringId, int64_t, IterationId>, uint32_t> unassociated;
  for (size_t a = 0; a < calls_.size(); ++a) {
    const HostId op = facts.api.op[a];
    if (!marked_[Index(trace_.SourceOf(api.thread[a]))]) continue;
    if (IsSet(op) && IsSet(facts.host.op[Index(op)])) continue;
    calls_[a] =
        unassociated[{api.name[a], versions.Of(api.args[a], trace_), facts.api.iteration[a]}]++;
  }
}

}  // namespace warpsight
