#include "analysis/accounting/host_work.h"

#include <string_view>
#include <utility>

#include "analysis/accounting/waiting_calls.h"
#include "analysis/facts/range_names.h"
#include "base/text.h"

namespace warpsight {
namespace {

constexpr size_t Number(HostActivity activity) { return static_cast<size_t>(activity); }

// The category of a call by its name, if it does not wait.
HostActivity KindOfCall(std::string_view name) {
  if (IsLaunch(name) || IsGraphLaunch(name)) return HostActivity::kLaunches;
  if (IsAllocation(name)) return HostActivity::kAllocation;
  const bool copies = Contains(name, "Memcpy") || Contains(name, "Memset");
  return copies ? HostActivity::kCopies : HostActivity::kOtherCalls;
}

// The activity of a host range, by its kind and name; kHostActivityCount if it does not count as
// one.
class RangeKinds {
 public:
  explicit RangeKinds(const Trace& trace)
      : host_(trace.tables.host), names_(trace), file_access_(trace, IsFileAccess) {}

  size_t Of(size_t row) {
    const StringId name = host_.name[row];
    switch (host_.kind[row]) {
      case HostKind::kAnnotation:
        return names_[name].data_loading ? Number(HostActivity::kDataLoading) : kHostActivityCount;
      case HostKind::kOp:
        return Number(names_[name].data_loading ? HostActivity::kDataLoading : HostActivity::kOps);
      case HostKind::kPythonFunction:
      case HostKind::kModule:
        return Number(HostActivity::kOps);
      case HostKind::kOverhead:
        return Number(HostActivity::kRecording);
      case HostKind::kSystemCall:
        return file_access_[name] ? Number(HostActivity::kIo) : kHostActivityCount;
      case HostKind::kSpan:
      case HostKind::kOther:
        break;
    }
    return kHostActivityCount;
  }

 private:
  const HostRangesTable& host_;
  RangeNames names_;
  ByName<bool> file_access_;
};

Interval TimesOf(const auto& table, size_t row) {
  return {table.start[row], table.start[row] + table.duration[row]};
}

}  // namespace

std::vector<bool> LaunchingThreads(const Trace& trace, const FactTables& facts) {
  std::vector<bool> launching(RowCount(trace.tables.threads));
  std::vector<bool> source_launches(RowCount(trace.tables.sources));
  for (const ApiId call : facts.gpu.api) {
    if (!IsSet(call)) continue;
    const ThreadId thread = trace.tables.api.thread[Index(call)];
    launching[Index(thread)] = true;
    source_launches[Index(trace.SourceOf(thread))] = true;
  }
  for (size_t t = 0; t < launching.size(); ++t) {
    if (!source_launches[Index(trace.SourceOf(MakeId<ThreadId>(t)))]) launching[t] = true;
  }
  return launching;
}

std::vector<HostWork> CollectHostWork(const Trace& trace, const FactTables& facts) {
  const HostRangesTable& host = trace.tables.host;
  const ApiCallsTable& api = trace.tables.api;
  const std::vector<bool> launching = LaunchingThreads(trace, facts);
  // Except for ops and waiting, each activity comes from one of the two tables, in order of start.
  std::vector<HostWork> work(RowCount(trace.tables.sources));
  // By thread: a wait inside an op counts as a wait, but while one thread waits another may work.
  std::vector<IntervalSet> ops(launching.size());
  std::vector<IntervalSet> waits(launching.size());

  RangeKinds range_kinds(trace);
  for (size_t h = 0; h < host.start.size(); ++h) {
    const size_t thread = Index(host.thread[h]);
    if (!launching[thread]) continue;
    const size_t activity = range_kinds.Of(h);
    if (activity == kHostActivityCount) continue;
    IntervalSet& set = activity == Number(HostActivity::kOps)
                           ? ops[thread]
                           : work[Index(trace.SourceOf(host.thread[h]))][activity];
    set.Append(TimesOf(host, h));
  }
  const std::vector<bool> waiting = WaitingCalls(trace, facts);
  ByName<HostActivity> kind_of_call(trace, KindOfCall);
  for (size_t a = 0; a < api.start.size(); ++a) {
    const size_t thread = Index(api.thread[a]);
    if (!launching[thread]) continue;
    const HostActivity activity = waiting[a] ? HostActivity::kWaiting : kind_of_call[api.name[a]];
    work[Index(trace.SourceOf(api.thread[a]))][Number(activity)].Append(TimesOf(api, a));
    if (waiting[a]) waits[thread].Append(TimesOf(api, a));
  }
  std::vector<std::vector<Interval>> waits_of_source(work.size());
  std::vector<std::vector<Interval>> waits_of_thread(waits.size());
  for (const HostWait& wait : FindHostWaits(trace, facts)) {
    if (IsSet(wait.call)) continue;
    const Interval time = {wait.start, wait.end};
    waits_of_source[Index(trace.SourceOf(wait.thread))].push_back(time);
    waits_of_thread[Index(wait.thread)].push_back(time);
  }
  std::vector<std::vector<Interval>> working(work.size());
  for (size_t t = 0; t < ops.size(); ++t) {
    if (ops[t].empty()) continue;
    const IntervalSet of_thread = ops[t].Subtract(waits[t]).Subtract(
        IntervalSet::FromUnsorted(std::move(waits_of_thread[t])));
    auto& all = working[Index(trace.SourceOf(MakeId<ThreadId>(t)))];
    all.insert(all.end(), of_thread.intervals().begin(), of_thread.intervals().end());
  }
  for (size_t s = 0; s < work.size(); ++s) {
    IntervalSet& waited = work[s][Number(HostActivity::kWaiting)];
    waited = waited.Union(IntervalSet::FromUnsorted(std::move(waits_of_source[s])));
    work[s][Number(HostActivity::kOps)] = IntervalSet::FromUnsorted(std::move(working[s]));
  }
  return work;
}

}  // namespace warpsight
