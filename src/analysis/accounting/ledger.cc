#include "analysis/accounting/ledger.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analysis/facts/gpu_windows.h"
#include "analysis/facts/range_names.h"
#include "analysis/facts/waiting_calls.h"
#include "analysis/facts/window_breakdown.h"
#include "base/intervals.h"
#include "model/profile.h"

namespace warpsight {
namespace {

// The pieces of one GPU's idle time, taken in order by windows that follow each other.
class IdlePieces {
 public:
  IdlePieces(const GapsTable& gaps, DeviceId device) : gaps_(gaps) {
    const auto [first, last] = std::equal_range(gaps.device.begin(), gaps.device.end(), device);
    next_ = static_cast<size_t>(first - gaps.device.begin());
    end_ = static_cast<size_t>(last - gaps.device.begin());
  }

  void AddWithin(Interval window, EntryTimes& times) {
    while (next_ < end_ && gaps_.end[next_] <= window.start) ++next_;
    for (size_t i = next_; i < end_ && gaps_.start[i] < window.end; ++i) {
      times[static_cast<size_t>(EntryOf(gaps_.cause[i]))] +=
          std::min(gaps_.end[i], window.end) - std::max(gaps_.start[i], window.start);
    }
  }

 private:
  const GapsTable& gaps_;
  size_t next_ = 0;
  size_t end_ = 0;
};

class LedgerWriter {
 public:
  LedgerWriter(const Trace& trace, FactTables& facts)
      : trace_(trace), facts_(facts), iterations_(facts.iterations) {}

  void Run() {
    facts_.gpu_windows = {};
    facts_.ledger = {};
    facts_.ledger_totals = {};
    SetWindows();
    CountHostCalls();
    CountCopies();
    WriteEntries();
    WriteTotals();
  }

 private:
  size_t count() const { return iterations_.start.size(); }

  // Iterations of one source follow each other, so that their windows do, too.
  template <typename Visit>
  void ForEachSource(Visit&& visit) const {
    for (size_t first = 0; first < count();) {
      size_t last = first + 1;
      while (last < count() && iterations_.source[last] == iterations_.source[first]) ++last;
      visit(first, last);
      first = last;
    }
  }

  // An iteration's window ends when the next one has begun and its own GPU work has ended.
  void SetWindows() {
    iterations_.window_start.assign(count(), 0);
    iterations_.window_end.assign(count(), 0);
    const std::vector<TimeNs> backlog = BacklogEnds();
    ForEachSource([&](size_t first, size_t last) {
      const std::vector<TimeNs> gpu_ends = GpuEnds(first, last);
      TimeNs from = iterations_.start[first];
      for (size_t i = first; i < last; ++i) {
        const TimeNs host_end = i + 1 < last ? iterations_.start[i + 1] : iterations_.end[i];
        const TimeNs end = std::max({from, host_end, gpu_ends[i - first]});
        const TimeNs earlier = backlog[Index(iterations_.source[i])];
        if (i == first && earlier < end) from = std::max(from, earlier);
        iterations_.window_start[i] = from;
        iterations_.window_end[i] = end;
        from = end;
      }
    });
  }

  // Ends of the GPU work of iterations, none later than that of a later iteration: a kernel that
  // runs on beside the work of several iterations ends none of them.
  std::vector<TimeNs> GpuEnds(size_t first, size_t last) const {
    std::vector<TimeNs> ends(last - first);
    TimeNs later = trace_.end;
    for (size_t i = last; i-- > first;) {
      const TimeNs own = iterations_.gpu_end[i];
      const bool has_work = own > iterations_.start[i];
      if (has_work) later = std::min(later, own);
      ends[i - first] = has_work ? later : iterations_.start[i];
    }
    return ends;
  }

  // By source: the end of GPU work that was launched before its first iteration and runs first. A
  // GPU that lags behind does as much work of the iterations after their last launch, so the first
  // window begins where that work ended. A recording without iterations is one window.
  std::vector<TimeNs> BacklogEnds() const {
    const GpuActivitiesTable& gpu = trace_.tables.gpu;
    std::vector<TimeNs> ends(RowCount(trace_.tables.sources), 0);
    if (!facts_.aggregations.source.empty() &&
        facts_.aggregations.source.front() == IterationSource::kNone) {
      return ends;
    }
    std::vector<bool> begun(ends.size());
    for (size_t g = 0; g < gpu.start.size(); ++g) {
      const size_t source = Index(trace_.SourceOf(gpu.stream[g]));
      if (IsSet(facts_.gpu.iteration[g])) begun[source] = true;
      if (!begun[source]) ends[source] = std::max(ends[source], gpu.start[g] + gpu.duration[g]);
    }
    for (size_t s = 0; s < ends.size(); ++s) {
      if (!begun[s]) ends[s] = 0;  // none of its work is known to belong to an iteration
    }
    return ends;
  }

  void CountHostCalls() {
    iterations_.reader.assign(count(), 0);
    iterations_.launches.assign(count(), 0);
    iterations_.synchronizations.assign(count(), 0);
    const HostRangesTable& host = trace_.tables.host;
    RangeNames names(trace_);
    for (size_t h = 0; h < host.start.size(); ++h) {
      const IterationId iteration = facts_.host.iteration[h];
      if (host.kind[h] != HostKind::kAnnotation || !IsSet(iteration)) continue;
      if (names[host.name[h]].loader_next) iterations_.reader[Index(iteration)] += host.duration[h];
    }
    const ApiCallsTable& api = trace_.tables.api;
    std::vector<bool> launches(api.start.size());
    for (const ApiId call : facts_.gpu.api) {
      if (IsSet(call)) launches[Index(call)] = true;
    }
    for (size_t a = 0; a < api.start.size(); ++a) {
      const IterationId iteration = facts_.api.iteration[a];
      if (!IsSet(iteration)) continue;
      if (launches[a]) ++iterations_.launches[Index(iteration)];
    }
    for (const HostWait& wait : FindHostWaits(trace_, facts_)) {
      const IterationId iteration = facts_.api.iteration[Index(wait.Place())];
      if (IsSet(iteration)) ++iterations_.synchronizations[Index(iteration)];
    }
  }

  void CountCopies() {
    iterations_.copied_bytes.assign(count(), 0);
    const GpuActivitiesTable& gpu = trace_.tables.gpu;
    for (size_t g = 0; g < gpu.start.size(); ++g) {
      const IterationId iteration = facts_.gpu.iteration[g];
      if (gpu.kind[g] != GpuKind::kCopy || gpu.bytes[g] == kMissing || !IsSet(iteration)) continue;
      iterations_.copied_bytes[Index(iteration)] += gpu.bytes[g];
    }
  }

  void WriteEntries() {
    const ProfileView profile(trace_, facts_);
    const WindowBreakdown breakdown(profile);
    const std::vector<std::vector<Interval>> windows = ComputeGpuWindows(profile);
    ForEachSource([&](size_t first, size_t last) {
      const SourceId source = iterations_.source[first];
      std::vector<std::pair<const WindowBreakdown::Gpu*, IdlePieces>> gpus;
      for (const WindowBreakdown::Gpu& gpu : breakdown.gpus()) {
        if (gpu.source == source) gpus.emplace_back(&gpu, IdlePieces(facts_.gaps, gpu.device));
      }
      for (size_t i = first; i < last; ++i) {
        for (auto& [gpu, idle] : gpus) {
          const Interval window =
              windows[Index(gpu->device)][static_cast<size_t>(iterations_.number[i])];
          facts_.gpu_windows.iteration.push_back(MakeId<IterationId>(i));
          facts_.gpu_windows.device.push_back(gpu->device);
          facts_.gpu_windows.start.push_back(window.start);
          facts_.gpu_windows.end.push_back(window.end);
          EntryTimes times = WindowBreakdown::BusyTimes(*gpu, window);
          idle.AddWithin(window, times);
          Write(i, gpu->device, times);
        }
        Write(i, kNone<DeviceId>,
              breakdown.HostTimes(Index(source),
                                  {iterations_.window_start[i], iterations_.window_end[i]}));
      }
    });
  }

  void Write(size_t iteration, DeviceId device, const EntryTimes& times) {
    LedgerTable& ledger = facts_.ledger;
    for (size_t entry = 0; entry < times.size(); ++entry) {
      if (times[entry] == 0) continue;
      ledger.iteration.push_back(MakeId<IterationId>(iteration));
      ledger.device.push_back(device);
      ledger.entry.push_back(static_cast<LedgerEntry>(entry));
      ledger.time.push_back(times[entry]);
    }
  }

  // By GPU, then by process.
  void WriteTotals() {
    const LedgerTable& ledger = facts_.ledger;
    const int64_t first = facts_.aggregations.first.front();
    const int64_t last = facts_.aggregations.last.front();
    std::map<std::pair<DeviceId, SourceId>, EntryTimes> totals;
    for (size_t i = 0; i < ledger.time.size(); ++i) {
      const size_t iteration = Index(ledger.iteration[i]);
      const int64_t number = iterations_.number[iteration];
      if (number < first || number > last) continue;
      totals[{ledger.device[i], iterations_.source[iteration]}]
            [static_cast<size_t>(ledger.entry[i])] += ledger.time[i];
    }
    LedgerTotalsTable& table = facts_.ledger_totals;
    for (const auto& [key, times] : totals) {
      for (size_t entry = 0; entry < times.size(); ++entry) {
        if (times[entry] == 0) continue;
        table.device.push_back(key.first);
        table.source.push_back(key.second);
        table.entry.push_back(static_cast<LedgerEntry>(entry));
        table.time.push_back(times[entry]);
      }
    }
  }

  const Trace& trace_;
  FactTables& facts_;
  IterationsTable& iterations_;
};

}  // namespace

void ComputeLedger(const Trace& trace, FactTables& facts) { LedgerWriter(trace, facts).Run(); }

}  // namespace warpsight
