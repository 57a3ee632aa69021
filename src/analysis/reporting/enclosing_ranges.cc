#include "analysis/reporting/enclosing_ranges.h"

namespace warpsight {
namespace {

// The profiler's own slices lie across the program's and enclose nothing.
bool Nests(HostKind kind) {
  return IsUserRange(kind) || kind == HostKind::kOp || kind == HostKind::kPythonFunction;
}

}  // namespace

std::vector<HostId> InnermostRanges(const Profile& profile) {
  const HostRangesTable& host = profile.trace.tables.host;
  const ApiCallsTable& api = profile.trace.tables.api;
  std::vector<HostId> open(profile.trace.tables.threads.tid.size(), kNone<HostId>);
  std::vector<HostId> result(api.start.size());
  size_t h = 0;
  for (size_t a = 0; a < api.start.size(); ++a) {
    const TimeNs time = api.start[a];
    for (; h < host.start.size() && host.start[h] <= time; ++h) {
      if (Nests(host.kind[h])) open[Index(host.thread[h])] = MakeId<HostId>(h);
    }
    HostId& innermost = open[Index(api.thread[a])];
    while (IsSet(innermost) &&
           host.start[Index(innermost)] + host.duration[Index(innermost)] <= time) {
      innermost = profile.facts.host.parent[Index(innermost)];
    }
    result[a] = innermost;
  }
  return result;
}

std::vector<HostId> InnermostUserRanges(const Profile& profile) {
  const HostRangesTable& host = profile.trace.tables.host;
  const std::vector<HostId>& parent = profile.facts.host.parent;
  std::vector<HostId> result(host.start.size(), kNone<HostId>);
  // A parent's row comes before its children's: it starts earlier, or with them and is longer.
  for (size_t h = 0; h < result.size(); ++h) {
    if (IsUserRange(host.kind[h])) {
      result[h] = MakeId<HostId>(h);
    } else if (IsSet(parent[h])) {
      result[h] = result[Index(parent[h])];
    }
  }
  return result;
}

}  // namespace warpsight
