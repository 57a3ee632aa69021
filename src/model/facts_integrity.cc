#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/intervals.h"
#include "model/check_columns.h"
#include "model/clean_stretches.h"
#include "model/integrity.h"

namespace warpsight {
namespace {

using integrity::Checks;

// Checks the rows that ids refer to. Assumes that every column is valid by itself: ids are in
// range.
class FactChecker {
 public:
  FactChecker(const Trace& trace, const FactTables& facts)
      : trace_(trace), t_(trace.tables), facts_(facts) {}

  void AddTo(Checks& checks) const {
    checks.Add([this] { return CheckHostParents(); });
    checks.Add([this] { return CheckHostOps(); });
    checks.Add([this] { return CheckForward(); });
    checks.Add([this] { return CheckIterationsOf("host_ranges", t_.host, facts_.host); });
    checks.Add([this] { return CheckApi(); });
    checks.Add([this] { return CheckIterationsOf("api_calls", t_.api, facts_.api); });
    checks.Add([this] { return CheckGpu(); });
    checks.Add([this] { return CheckDevices(); });
    checks.Add([this] { return CheckModulePaths(); });
    checks.Add([this] { return CheckIterations(); });
    checks.Add([this] { return CheckGaps(); });
    checks.Add([this] { return CheckIdleTimes(); });
    checks.Add([this] { return CheckGpuWindows(); });
    checks.Add([this] { return CheckLedger(); });
    checks.Add([this] { return CheckLedgerTotals(); });
    checks.Add([this] { return CheckKernelNames(); });
    checks.Add([this] { return CheckAggregation(); });
    checks.Add([this] { return CheckAdvice(); });
    checks.Add([this] { return CheckEvidence(); });
  }

 private:
  template <typename... Args>
  static std::string Wrong(fmt::format_string<Args...> what, Args&&... args) {
    return fmt::format(what, std::forward<Args>(args)...);
  }

  SourceId SourceOfHost(HostId host) const { return trace_.SourceOf(t_.host.thread[Index(host)]); }

  // Since a parent comes before its child, there are no cycles.
  std::string CheckHostParents() const {
    for (size_t h = 0; h < facts_.host.parent.size(); ++h) {
      const HostId parent = facts_.host.parent[h];
      if (!IsSet(parent)) continue;
      if (Index(parent) >= h) {
        return Wrong("host_ranges.parent_id does not come before its child in row {}", h);
      }
      if (t_.host.thread[Index(parent)] != t_.host.thread[h]) {
        return Wrong("host_ranges.parent_id is on another thread in row {}", h);
      }
    }
    return {};
  }

  std::string CheckHostOps() const {
    for (size_t h = 0; h < facts_.host.op.size(); ++h) {
      const HostId op = facts_.host.op[h];
      if (!IsSet(op)) continue;
      if (Index(op) > h || facts_.host.op[Index(op)] != op) {
        return Wrong("host_ranges.op_id is not an op that reports count in row {}", h);
      }
      if (t_.host.thread[Index(op)] != t_.host.thread[h]) {
        return Wrong("host_ranges.op_id is on another thread in row {}", h);
      }
    }
    return {};
  }

  std::string CheckForward() const {
    const auto process = [&](size_t h) { return t_.threads.process[Index(t_.host.thread[h])]; };
    for (size_t h = 0; h < facts_.host.forward.size(); ++h) {
      const HostId forward = facts_.host.forward[h];
      if (!IsSet(forward)) continue;
      if (Index(forward) >= h || process(Index(forward)) != process(h)) {
        return Wrong("host_ranges.forward_id is not an earlier op of its process in row {}", h);
      }
    }
    return {};
  }

  template <typename Table, typename Facts>
  std::string CheckIterationsOf(std::string_view name, const Table& table,
                                const Facts& facts) const {
    for (size_t i = 0; i < facts.iteration.size(); ++i) {
      if (IsSet(facts.iteration[i]) &&
          facts_.iterations.source[Index(facts.iteration[i])] != trace_.SourceOf(table.thread[i])) {
        return Wrong("{}.iteration_id is of another source in row {}", name, i);
      }
    }
    return {};
  }

  std::string CheckApi() const {
    for (size_t a = 0; a < facts_.api.op.size(); ++a) {
      const HostId op = facts_.api.op[a];
      if (IsSet(op) && t_.host.thread[Index(op)] != t_.api.thread[a]) {
        return Wrong("api_calls.op_id is on another thread in row {}", a);
      }
    }
    return {};
  }

  // GPU work belongs to the iteration of its launch; if iterations were found on the GPU, to the
  // one in which it starts.
  bool MayBelongTo(IterationId iteration, size_t g) const {
    const ApiId call = facts_.gpu.api[g];
    const HostId op = facts_.gpu.op[g];
    if (IsSet(call) && iteration == facts_.api.iteration[Index(call)]) return true;
    if (!IsSet(call) && IsSet(op) && iteration == facts_.host.iteration[Index(op)]) return true;
    if (!IsSet(iteration)) return true;
    const IterationsTable& t = facts_.iterations;
    const size_t i = Index(iteration);
    if (t.source[i] != trace_.SourceOf(t_.gpu.stream[g])) return false;
    const bool launched = IsSet(call) || IsSet(op);
    return !launched || (t.start[i] <= t_.gpu.start[g] && t_.gpu.start[g] <= t.end[i]);
  }

  std::string CheckGpu() const {
    for (size_t g = 0; g < facts_.gpu.api.size(); ++g) {
      const ApiId call = facts_.gpu.api[g];
      const HostId op = facts_.gpu.op[g];
      const SourceId source = trace_.SourceOf(t_.gpu.stream[g]);
      if (IsSet(call) && trace_.SourceOf(t_.api.thread[Index(call)]) != source) {
        return Wrong("gpu_activities.api_id is of another source in row {}", g);
      }
      if (IsSet(op)) {
        if (SourceOfHost(op) != source || (IsSet(call) && facts_.api.op[Index(call)] != op)) {
          return Wrong("gpu_activities.op_id is not the op of its launch in row {}", g);
        }
        if (!IsSet(facts_.host.op[Index(op)])) {
          return Wrong("gpu_activities.op_id is not an op that reports count in row {}", g);
        }
      }
      if (!MayBelongTo(facts_.gpu.iteration[g], g)) {
        return Wrong("gpu_activities.iteration_id is not that of its launch in row {}", g);
      }
    }
    return {};
  }

  std::string CheckDevices() const {
    const DeviceFactsTable& t = facts_.devices;
    for (size_t d = 0; d < t.first.size(); ++d) {
      const bool worked = t.first[d] != kMissing;
      if (worked != (t.last[d] != kMissing) ||
          (worked && (t.first[d] > t.last[d] || t.last[d] > trace_.end))) {
        return Wrong("devices has impossible times in row {}", d);
      }
    }
    return {};
  }

  std::string CheckModulePaths() const {
    const Column<HostId>& op = facts_.module_paths.op;
    for (size_t i = 0; i < op.size(); ++i) {
      if (!IsSet(op[i])) return integrity::Missing("module_paths", "op_id", i);
      if (i > 0 && op[i] <= op[i - 1]) return Wrong("module_paths is not in order at row {}", i);
    }
    return {};
  }

  // Whether the window of an iteration begins where the one before it ends; after a clean stretch,
  // it begins later.
  bool FollowsWindow(const std::vector<IntervalSet>& stretches, size_t i) const {
    const IterationsTable& t = facts_.iterations;
    if (t.window_start[i] == t.window_end[i - 1]) return true;
    return t.window_start[i] > t.window_end[i - 1] &&
           stretches[Index(t.source[i])].LengthWithin({t.end[i - 1], t.start[i]}) > 0;
  }

  // Iterations are ordered by source and start, and numbered from 0 in each source.
  std::string CheckIterations() const {
    const IterationsTable& t = facts_.iterations;
    const std::vector<IntervalSet> stretches = CleanStretches(trace_);
    int64_t reader = 0;
    int64_t bytes = 0;
    for (size_t i = 0; i < t.start.size(); ++i) {
      reader += t.reader[i];
      bytes += t.copied_bytes[i];
      if (reader > kLargestTotal || bytes > kLargestTotal) {
        return Wrong("iterations has impossible sums at row {}", i);
      }
      if (t.start[i] > t.end[i] || t.end[i] > trace_.end || t.gpu_end[i] > trace_.end) {
        return Wrong("iterations has impossible times in row {}", i);
      }
      const bool first = i == 0 || t.source[i] != t.source[i - 1];
      const bool in_order =
          first ? (i == 0 || t.source[i] > t.source[i - 1]) : t.start[i] >= t.start[i - 1];
      if (!in_order) return Wrong("iterations is not in order at row {}", i);
      if (t.window_start[i] < t.start[i] || t.window_start[i] > t.window_end[i] ||
          t.window_end[i] > trace_.end || (!first && !FollowsWindow(stretches, i))) {
        return Wrong("iterations has an impossible window in row {}", i);
      }
      if (t.number[i] != (first ? 0 : t.number[i - 1] + 1)) {
        return Wrong("iterations.number does not count from 0 at row {}", i);
      }
    }
    return {};
  }

  // Gaps are ordered by device and do not overlap; each ends before the work that it waits for.
  std::string CheckGaps() const {
    const GapsTable& t = facts_.gaps;
    for (size_t i = 0; i < t.start.size(); ++i) {
      if (t.start[i] >= t.end[i] || t.end[i] > trace_.end) {
        return Wrong("gaps has impossible times in row {}", i);
      }
      const bool in_order =
          i == 0 || (t.device[i] == t.device[i - 1] ? t.start[i] >= t.end[i - 1]
                                                    : t.device[i] > t.device[i - 1]);
      if (!in_order) return Wrong("gaps is not in order at row {}", i);
      const GpuId next = t.next[i];
      if (IsSet(next) && (trace_.DeviceOf(t_.gpu.stream[Index(next)]) != t.device[i] ||
                          t_.gpu.start[Index(next)] < t.end[i])) {
        return Wrong("gaps.next_id is not later work in row {}", i);
      }
      if (IsSet(t.op[i]) && SourceOfHost(t.op[i]) != t_.devices.source[Index(t.device[i])]) {
        return Wrong("gaps.op_id is of another source in row {}", i);
      }
    }
    return {};
  }

  // The gaps of each GPU that worked are exactly the times in which it did nothing, as far as that
  // was recorded: the ledger of other iterations is made from them.
  std::string CheckIdleTimes() const {
    const GapsTable& gaps = facts_.gaps;
    struct Gpu {
      size_t next = 0, end = 0;  // its rows of gaps that were not reached yet
      size_t unrecorded = 0;     // of its unrecorded times
      TimeNs busy_until = 0;
      bool worked = false;
    };
    std::vector<Gpu> gpus(RowCount(t_.devices));
    const std::vector<std::vector<Interval>> unrecorded =
        UnrecordedGpuTimes(trace_, facts_.gpu.api);
    for (size_t i = 0; i < gaps.start.size(); ++i) {
      Gpu& gpu = gpus[Index(gaps.device[i])];
      if (gpu.end == 0) gpu.next = i;
      gpu.end = i + 1;
    }
    // Whether the next gaps of the GPU follow each other from the end of its work to `end`.
    const auto idle_until = [&](size_t device, TimeNs end) {
      Gpu& gpu = gpus[device];
      TimeNs time = gpu.busy_until;
      bool followed = true;
      VisitRecorded({time, end}, unrecorded[device], gpu.unrecorded, [&](Interval part) {
        for (time = part.start;
             time < part.end && gpu.next < gpu.end && gaps.start[gpu.next] == time; ++gpu.next) {
          time = gaps.end[gpu.next];
        }
        followed = followed && time == part.end;
      });
      return followed;
    };
    for (size_t g = 0; g < t_.gpu.duration.size(); ++g) {
      if (t_.gpu.duration[g] > 0) gpus[Index(trace_.DeviceOf(t_.gpu.stream[g]))].worked = true;
    }
    for (size_t g = 0; g < t_.gpu.start.size(); ++g) {
      const size_t device = Index(trace_.DeviceOf(t_.gpu.stream[g]));
      Gpu& gpu = gpus[device];
      if (!gpu.worked) continue;
      if (!idle_until(device, t_.gpu.start[g])) {
        return Wrong("gaps are not the idle times before row {} of gpu_activities", g);
      }
      gpu.busy_until = std::max(gpu.busy_until, t_.gpu.start[g] + t_.gpu.duration[g]);
    }
    for (size_t d = 0; d < gpus.size(); ++d) {
      const bool whole = !gpus[d].worked || idle_until(d, trace_.end);
      if (!whole || gpus[d].next < gpus[d].end) {
        return Wrong("gaps are not the idle times of the GPU in row {} of devices", d);
      }
    }
    return {};
  }

  static bool IsGpuEntry(LedgerEntry entry) { return entry <= LedgerEntry::kHiddenCopies; }
  // Whether it is a part of the window rather than an additional, hidden entry.
  static bool IsPart(LedgerEntry entry) {
    return entry != LedgerEntry::kHiddenCommunication && entry != LedgerEntry::kHiddenCopies;
  }

  // Windows are ordered by iteration and GPU, without duplicates; those of one GPU do not overlap.
  // A GPU has one for every iteration of its source, or none if it did nothing in any of them.
  std::string CheckGpuWindows() const {
    const GpuWindowsTable& t = facts_.gpu_windows;
    std::vector<TimeNs> ends(RowCount(t_.devices), 0);
    std::vector<size_t> counts(RowCount(t_.devices), 0);
    for (size_t i = 0; i < t.start.size(); ++i) {
      if (!IsSet(t.iteration[i])) return integrity::Missing("gpu_windows", "iteration_id", i);
      if (!IsSet(t.device[i])) return integrity::Missing("gpu_windows", "device_id", i);
      const auto key = [&](size_t row) { return std::tuple(t.iteration[row], t.device[row]); };
      if (i > 0 && key(i - 1) >= key(i)) return Wrong("gpu_windows is not in order at row {}", i);
      if (t_.devices.source[Index(t.device[i])] !=
          facts_.iterations.source[Index(t.iteration[i])]) {
        return Wrong("gpu_windows has a GPU of another process in row {}", i);
      }
      TimeNs& end = ends[Index(t.device[i])];
      if (t.start[i] < end || t.end[i] < t.start[i] || t.end[i] > trace_.end) {
        return Wrong("gpu_windows has an impossible window in row {}", i);
      }
      end = t.end[i];
      ++counts[Index(t.device[i])];
    }
    std::vector<size_t> iterations(RowCount(t_.sources), 0);
    for (const SourceId source : facts_.iterations.source) {
      if (IsSet(source)) ++iterations[Index(source)];
    }
    for (size_t d = 0; d < counts.size(); ++d) {
      if (counts[d] != 0 && counts[d] != iterations[Index(t_.devices.source[d])]) {
        return Wrong("gpu_windows lacks windows of the GPU in row {} of devices", d);
      }
    }
    for (size_t g = 0; g < facts_.gpu.iteration.size(); ++g) {
      if (IsSet(facts_.gpu.iteration[g]) && t_.gpu.duration[g] > 0 &&
          counts[Index(trace_.DeviceOf(t_.gpu.stream[g]))] == 0) {
        return Wrong("gpu_windows lacks the GPU of gpu_activities row {}", g);
      }
    }
    return {};
  }

  // Entries are ordered by iteration, then GPU with the process last, without duplicates. The
  // entries of a GPU, and those of the process, sum to their window.
  std::string CheckLedger() const {
    const LedgerTable& t = facts_.ledger;
    const IterationsTable& iterations = facts_.iterations;
    for (size_t i = 0; i < t.entry.size(); ++i) {
      if (!IsSet(t.iteration[i])) return integrity::Missing("ledger", "iteration_id", i);
      const auto key = [&](size_t row) {
        return std::tuple(t.iteration[row], t.device[row], t.entry[row]);
      };
      if (i > 0 && key(i - 1) >= key(i)) return Wrong("ledger is not in order at row {}", i);
      if (IsSet(t.device[i]) != IsGpuEntry(t.entry[i]) ||
          (IsSet(t.device[i]) &&
           t_.devices.source[Index(t.device[i])] != iterations.source[Index(t.iteration[i])])) {
        return Wrong("ledger has an entry of another device in row {}", i);
      }
    }
    const GpuWindowsTable& windows = facts_.gpu_windows;
    size_t next = 0;  // in windows
    for (size_t i = 0; i < t.entry.size();) {
      const size_t first = i;
      const size_t iteration = Index(t.iteration[i]);
      DurationNs window = iterations.window_end[iteration] - iterations.window_start[iteration];
      if (IsSet(t.device[i])) {
        const std::tuple key(t.iteration[i], t.device[i]);
        while (next < windows.start.size() &&
               std::tuple(windows.iteration[next], windows.device[next]) < key) {
          ++next;
        }
        if (next == windows.start.size() ||
            std::tuple(windows.iteration[next], windows.device[next]) != key) {
          return Wrong("ledger has a GPU without a window in row {}", i);
        }
        window = windows.end[next] - windows.start[next];
      }
      DurationNs sum = 0;
      for (; i < t.entry.size() && t.iteration[i] == t.iteration[first] &&
             t.device[i] == t.device[first];
           ++i) {
        if (t.time[i] > window) return Wrong("ledger has more time than the window in row {}", i);
        if (IsPart(t.entry[i])) sum += t.time[i];
      }
      if (sum != window) return Wrong("ledger does not sum to the window at row {}", first);
    }
    return {};
  }

  // The sums of the ledger over the aggregated iterations, by GPU, then by process.
  std::string CheckLedgerTotals() const {
    const LedgerTable& ledger = facts_.ledger;
    const LedgerTotalsTable& t = facts_.ledger_totals;
    if (facts_.aggregations.first.size() != 1) return {};  // CheckAggregation() reports it
    std::map<std::tuple<DeviceId, SourceId, LedgerEntry>, DurationNs> sums;
    for (size_t i = 0; i < ledger.entry.size(); ++i) {
      if (!IsSet(ledger.iteration[i])) return {};  // CheckLedger() reports it
      const size_t iteration = Index(ledger.iteration[i]);
      const int64_t number = facts_.iterations.number[iteration];
      if (number < facts_.aggregations.first[0] || number > facts_.aggregations.last[0]) continue;
      sums[{ledger.device[i], facts_.iterations.source[iteration], ledger.entry[i]}] +=
          ledger.time[i];
    }
    auto expected = sums.begin();
    for (size_t i = 0; i < t.entry.size(); ++i, ++expected) {
      if (expected == sums.end() ||
          expected->first != std::tuple(t.device[i], t.source[i], t.entry[i]) ||
          expected->second != t.time[i]) {
        return Wrong("ledger_totals is not the sum of ledger in row {}", i);
      }
    }
    if (expected != sums.end()) return Wrong("ledger_totals lacks sums of ledger");
    return {};
  }

  // Kernel names are unique, and every kernel's name is present.
  std::string CheckKernelNames() const {
    std::vector<bool> known(trace_.strings.size());
    const Column<StringId>& names = facts_.kernel_names.name;
    for (size_t i = 0; i < names.size(); ++i) {
      if (known[Index(names[i])]) return Wrong("kernel_names.name is a duplicate in row {}", i);
      known[Index(names[i])] = true;
    }
    for (size_t g = 0; g < t_.gpu.name.size(); ++g) {
      if (t_.gpu.kind[g] == GpuKind::kKernel && !known[Index(t_.gpu.name[g])]) {
        return Wrong("kernel_names lacks the kernel of gpu_activities row {}", g);
      }
    }
    const KernelUsesTable& uses = facts_.kernel_uses;
    for (size_t i = 0; i < uses.name.size(); ++i) {
      if (uses.kind[i] == GpuKind::kKernel && !known[Index(uses.name[i])]) {
        return Wrong("kernel_names lacks the kernel of kernel_uses row {}", i);
      }
    }
    return {};
  }

  std::string CheckAggregation() const {
    const AggregationsTable& t = facts_.aggregations;
    if (t.first.size() != 1) {
      return Wrong("aggregations has {} rows where 1 was expected", t.first.size());
    }
    int64_t iterations = 0;
    for (const int64_t number : facts_.iterations.number) {
      iterations = std::max(iterations, number + 1);
    }
    if (t.first[0] < 0 || t.first[0] > t.last[0] || t.last[0] >= iterations) {
      return Wrong("aggregations has iterations {} to {} of {}", t.first[0], t.last[0], iterations);
    }
    return {};
  }

  std::string CheckAdvice() const {
    const size_t rows = RowCount(facts_.advice);
    if (rows > 1) return Wrong("advice has {} rows where 1 was expected", rows);
    const Column<PathPart>& part = facts_.critical_path.part;
    for (size_t i = 1; i < part.size(); ++i) {
      if (part[i] <= part[i - 1]) return Wrong("critical_path is not in order at row {}", i);
    }
    return {};
  }

  // The name and the times of an instance equal those of its row. A profile loaded without events
  // has no rows to compare with.
  std::string CheckEvidence() const {
    const FindingEvidenceTable& t = facts_.finding_evidence;
    const auto is_of = [&](const auto& table, size_t row, size_t i) {
      return t.instance[i] == table.name[row] && t.start[i] == table.start[row] &&
             t.duration[i] == table.duration[row];
    };
    for (size_t i = 0; i < t.start.size(); ++i) {
      const bool sound = IsSet(t.gpu[i]) ? is_of(t_.gpu, Index(t.gpu[i]), i)
                         : IsSet(t.host[i])
                             ? is_of(t_.host, Index(t.host[i]), i)
                             : (t.start[i] == kMissing) == (t.duration[i] == kMissing);
      if (!sound) return Wrong("finding_evidence does not match its instance in row {}", i);
    }
    return {};
  }

  const Trace& trace_;
  const TraceTables& t_;
  const FactTables& facts_;
};

// The number of rows of a table of facts that belongs to a table of the trace.
size_t ExpectedRows(const Trace& trace, const HostFactsTable&) {
  return RowCount(trace.tables.host);
}
size_t ExpectedRows(const Trace& trace, const ApiFactsTable&) { return RowCount(trace.tables.api); }
size_t ExpectedRows(const Trace& trace, const GpuFactsTable&) { return RowCount(trace.tables.gpu); }
size_t ExpectedRows(const Trace& trace, const SourceFactsTable&) {
  return RowCount(trace.tables.sources);
}
size_t ExpectedRows(const Trace& trace, const DeviceFactsTable&) {
  return RowCount(trace.tables.devices);
}
template <typename Table>
size_t ExpectedRows(const Trace&, const Table& table) {
  return RowCount(table);
}

}  // namespace

std::string CheckFacts(const Trace& trace, const FactTables& facts) {
  const integrity::Limits limits(trace, &facts);
  Checks columns, rows;
  FactTables::Tables([&](std::string_view name, std::string_view, auto member) {
    const auto& table = facts.*member;
    integrity::AddColumnChecks(name, table, ExpectedRows(trace, table), limits, columns);
  });
  const FactChecker checker(trace, facts);
  checker.AddTo(rows);
  std::string problem = columns.Run();
  return problem.empty() ? rows.Run() : problem;
}

}  // namespace warpsight
