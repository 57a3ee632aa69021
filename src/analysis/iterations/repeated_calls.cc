#include "analysis/iterations/repeated_calls.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/hash/hash.h"
#include "model/hash_map.h"

namespace warpsight {
namespace {

constexpr size_t kFewest = 3;
// The share of the calls that must launch the same kernels in the same order. The first calls may
// try out kernels.
constexpr double kMinEqualShare = 0.8;
// The share of the kernel time between the first and the last call that these calls must contain.
constexpr double kMinTimeShare = 0.5;

bool IsCallOrOp(HostKind kind) {
  return kind == HostKind::kAnnotation || kind == HostKind::kModule || kind == HostKind::kOp;
}

// Finds annotations and modules that are not inside another one or an op.
class Outermost {
 public:
  Outermost(const Trace& trace, const FactTables& facts, SourceId source)
      : host_(trace.tables.host) {
    for (size_t h = 0; h < host_.start.size(); ++h) {
      if (host_.kind[h] != HostKind::kAnnotation && host_.kind[h] != HostKind::kModule) continue;
      if (trace.SourceOf(host_.thread[h]) != source) continue;
      HostId above = facts.host.parent[h];
      while (IsSet(above) && !IsCallOrOp(host_.kind[Index(above)])) {
        above = facts.host.parent[Index(above)];
      }
      if (!IsSet(above)) by_thread_[host_.thread[h]].push_back(MakeId<HostId>(h));
    }
    for (auto& [thread, ranges] : by_thread_) {
      std::sort(ranges.begin(), ranges.end(), [this](HostId a, HostId b) {
        return host_.start[Index(a)] < host_.start[Index(b)];
      });
    }
  }

  // The one that was open on a thread at a time, or none.
  HostId At(ThreadId thread, TimeNs time) const {
    const auto found = by_thread_.find(thread);
    if (found == by_thread_.end()) return kNone<HostId>;
    const auto after =
        std::partition_point(found->second.begin(), found->second.end(),
                             [&](HostId range) { return host_.start[Index(range)] <= time; });
    if (after == found->second.begin()) return kNone<HostId>;
    const HostId range = *(after - 1);
    const TimeNs end = host_.start[Index(range)] + host_.duration[Index(range)];
    return time <= end ? range : kNone<HostId>;
  }

 private:
  const HostRangesTable& host_;
  HashMap<ThreadId, std::vector<HostId>> by_thread_;
};

struct Launch {
  TimeNs time;
  StringId kernel;
  DurationNs duration;
  HostId call;            // the outermost call that launched it, or none
  DurationNs before = 0;  // time of all kernels launched earlier
};

// The launches of kernels, in order.
std::vector<Launch> Launches(const Trace& trace, const FactTables& facts, SourceId source) {
  const Outermost outermost(trace, facts, source);
  const GpuActivitiesTable& gpu = trace.tables.gpu;
  std::vector<Launch> launches;
  for (size_t g = 0; g < gpu.start.size(); ++g) {
    if (gpu.kind[g] != GpuKind::kKernel || trace.SourceOf(gpu.stream[g]) != source) continue;
    Launch launch{gpu.start[g], gpu.name[g], gpu.duration[g], kNone<HostId>};
    if (const ApiId api = facts.gpu.api[g]; IsSet(api)) {
      launch.time = trace.tables.api.start[Index(api)];
      launch.call = outermost.At(trace.tables.api.thread[Index(api)], launch.time);
    } else if (const HostId op = facts.gpu.op[g]; IsSet(op)) {
      launch.time = trace.tables.host.start[Index(op)];
      launch.call = outermost.At(trace.tables.host.thread[Index(op)], launch.time);
    }
    launches.push_back(launch);
  }
  std::stable_sort(launches.begin(), launches.end(),
                   [](const Launch& a, const Launch& b) { return a.time < b.time; });
  for (size_t i = 1; i < launches.size(); ++i) {
    launches[i].before = launches[i - 1].before + launches[i - 1].duration;
  }
  return launches;
}

struct Call {
  HostId range;
  size_t kernels = 0;  // hash of the sequence of its kernels
  DurationNs time = 0;
};

// The calls with one name, in order.
class Group {
 public:
  Group(const HostRangesTable& host, std::vector<Call> calls)
      : host_(host), calls_(std::move(calls)) {
    std::sort(calls_.begin(), calls_.end(),
              [this](const Call& a, const Call& b) { return Start(a) < Start(b); });
    for (const Call& call : calls_) time_ += call.time;
  }

  DurationNs time() const { return time_; }

  bool Repeats(const std::vector<Launch>& launches) const {
    return Alike() && !Overlap() &&
           static_cast<double>(time_) >= kMinTimeShare * static_cast<double>(TimeDuring(launches));
  }

  std::vector<HostId> Ranges() const {
    std::vector<HostId> ranges;
    for (const Call& call : calls_) ranges.push_back(call.range);
    return ranges;
  }

 private:
  TimeNs Start(const Call& call) const { return host_.start[Index(call.range)]; }
  TimeNs End(const Call& call) const { return Start(call) + host_.duration[Index(call.range)]; }

  bool Alike() const {
    HashMap<size_t, size_t> counts;
    size_t most = 0;
    for (const Call& call : calls_) most = std::max(most, ++counts[call.kernels]);
    return most >= kFewest &&
           static_cast<double>(most) >= kMinEqualShare * static_cast<double>(calls_.size());
  }

  bool Overlap() const {
    for (size_t i = 1; i < calls_.size(); ++i) {
      if (Start(calls_[i]) < End(calls_[i - 1])) return true;
    }
    return false;
  }

  // The time of all kernels launched between the start of the first and the end of the last call.
  DurationNs TimeDuring(const std::vector<Launch>& launches) const {
    const auto from = [&](TimeNs time) {
      return std::partition_point(launches.begin(), launches.end(),
                                  [&](const Launch& launch) { return launch.time < time; });
    };
    const auto first = from(Start(calls_.front()));
    const auto last = from(End(calls_.back()) + 1) - 1;
    return last->before + last->duration - first->before;
  }

  const HostRangesTable& host_;
  std::vector<Call> calls_;
  DurationNs time_ = 0;
};

}  // namespace

std::vector<std::vector<HostId>> FindRepeatedCalls(const Trace& trace, const FactTables& facts,
                                                   SourceId source) {
  const HostRangesTable& host = trace.tables.host;
  const std::vector<Launch> launches = Launches(trace, facts, source);
  std::map<StringId, std::vector<Call>> calls_of;
  HashMap<HostId, size_t> places;
  for (const Launch& launch : launches) {
    if (!IsSet(launch.call)) continue;
    std::vector<Call>& calls = calls_of[host.name[Index(launch.call)]];
    const auto [place, is_new] = places.try_emplace(launch.call, calls.size());
    if (is_new) calls.push_back({launch.call});
    Call& call = calls[place->second];
    call.kernels = absl::HashOf(call.kernels, launch.kernel);
    call.time += launch.duration;
  }
  std::vector<std::pair<DurationNs, std::vector<HostId>>> groups;
  for (auto& [name, calls] : calls_of) {
    const Group group(host, std::move(calls));
    if (group.Repeats(launches)) groups.emplace_back(group.time(), group.Ranges());
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::vector<HostId>> lists;
  lists.reserve(groups.size());
  for (auto& [time, ranges] : groups) lists.push_back(std::move(ranges));
  return lists;
}

}  // namespace warpsight
