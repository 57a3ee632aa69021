#include "analysis/accounting/ledger.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analysis/accounting/waiting_calls.h"
#include "analysis/accounting/window_breakdown.h"
#include "analysis/facts/range_names.h"
#include "base/intervals.h"
#include "model/profile.h"

namespace warpsight {
namespace {

// The idle pieces of one GPU. They are consumed in order, by consecutive windows.
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
    facts_.ledger = {};
    facts_.ledger_totals = {};
    CountHostCalls();
    CountCopies();
    WriteEntries();
    WriteTotals();
  }

 private:
  size_t count() const { return iterations_.start.size(); }

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
    const WindowBreakdown breakdown(ProfileView(trace_, facts_));
    std::vector<const WindowBreakdown::Gpu*> gpus(RowCount(trace_.tables.devices));
    std::vector<IdlePieces> idle;
    for (size_t d = 0; d < gpus.size(); ++d) idle.emplace_back(facts_.gaps, MakeId<DeviceId>(d));
    for (const WindowBreakdown::Gpu& gpu : breakdown.gpus()) gpus[Index(gpu.device)] = &gpu;
    const GpuWindowsTable& windows = facts_.gpu_windows;
    size_t row = 0;  // windows are ordered by iteration
    for (size_t i = 0; i < count(); ++i) {
      for (; row < windows.start.size() && Index(windows.iteration[row]) == i; ++row) {
        const DeviceId device = windows.device[row];
        const Interval window = {windows.start[row], windows.end[row]};
        EntryTimes times = WindowBreakdown::BusyTimes(*gpus[Index(device)], window);
        idle[Index(device)].AddWithin(window, times);
        Write(i, device, times);
      }
      Write(i, kNone<DeviceId>,
            breakdown.HostTimes(Index(iterations_.source[i]),
                                {iterations_.window_start[i], iterations_.window_end[i]}));
    }
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

  // Writes the totals of GPUs, then those of processes.
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
