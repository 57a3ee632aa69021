#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/check_columns.h"
#include "model/integrity.h"

namespace warpsight {
namespace {

using integrity::Checks;

// What one column promises about the rows that its values name. The columns are sound by
// themselves: ids are in range.
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
    checks.Add([this] { return CheckModulePaths(); });
    checks.Add([this] { return CheckIterations(); });
    checks.Add([this] { return CheckGaps(); });
    checks.Add([this] { return CheckKernelNames(); });
    checks.Add([this] { return CheckAggregation(); });
    checks.Add([this] { return CheckAdvice(); });
  }

 private:
  template <typename... Args>
  static std::string Wrong(fmt::format_string<Args...> what, Args&&... args) {
    return fmt::format(what, std::forward<Args>(args)...);
  }

  SourceId SourceOfHost(HostId host) const { return trace_.SourceOf(t_.host.thread[Index(host)]); }

  // That a parent comes before its child is also why there are no cycles.
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

  // GPU work belongs to what its launch belongs to.
  std::string CheckGpu() const {
    for (size_t g = 0; g < facts_.gpu.api.size(); ++g) {
      const ApiId call = facts_.gpu.api[g];
      const HostId op = facts_.gpu.op[g];
      const IterationId iteration = facts_.gpu.iteration[g];
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
      const bool launched = IsSet(call) || IsSet(op);
      const IterationId expected = IsSet(call) ? facts_.api.iteration[Index(call)]
                                   : IsSet(op) ? facts_.host.iteration[Index(op)]
                                               : iteration;
      if (launched ? iteration != expected
                   : IsSet(iteration) && facts_.iterations.source[Index(iteration)] != source) {
        return Wrong("gpu_activities.iteration_id is not that of its launch in row {}", g);
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

  // By source, numbered from 0, in the order of their starts.
  std::string CheckIterations() const {
    const IterationsTable& t = facts_.iterations;
    for (size_t i = 0; i < t.start.size(); ++i) {
      if (t.start[i] > t.end[i] || t.end[i] > trace_.end || t.gpu_end[i] > trace_.end) {
        return Wrong("iterations has times that cannot be in row {}", i);
      }
      const bool first = i == 0 || t.source[i] != t.source[i - 1];
      const bool in_order =
          first ? (i == 0 || t.source[i] > t.source[i - 1]) : t.start[i] >= t.start[i - 1];
      if (!in_order) return Wrong("iterations is not in order at row {}", i);
      if (t.number[i] != (first ? 0 : t.number[i - 1] + 1)) {
        return Wrong("iterations.number does not count from 0 at row {}", i);
      }
    }
    return {};
  }

  // By device, one after the other; each ends before the work that it waits for.
  std::string CheckGaps() const {
    const GapsTable& t = facts_.gaps;
    for (size_t i = 0; i < t.start.size(); ++i) {
      if (t.start[i] >= t.end[i] || t.end[i] > trace_.end) {
        return Wrong("gaps has times that cannot be in row {}", i);
      }
      const bool in_order =
          i == 0 || (t.device[i] == t.device[i - 1] ? t.start[i] >= t.end[i - 1]
                                                    : t.device[i] > t.device[i - 1]);
      if (!in_order) return Wrong("gaps is not in order at row {}", i);
      const GpuId next = t.next[i];
      if (IsSet(next) && (trace_.DeviceOf(t_.gpu.stream[Index(next)]) != t.device[i] ||
                          t_.gpu.start[Index(next)] < t.end[i])) {
        return Wrong("gaps.next_id is not work that follows in row {}", i);
      }
      if (IsSet(t.op[i]) && SourceOfHost(t.op[i]) != t_.devices.source[Index(t.device[i])]) {
        return Wrong("gaps.op_id is of another source in row {}", i);
      }
    }
    return {};
  }

  // Each name once, and all that are needed.
  std::string CheckKernelNames() const {
    std::vector<bool> known(trace_.strings.size());
    const Column<StringId>& names = facts_.kernel_names.name;
    for (size_t i = 0; i < names.size(); ++i) {
      if (known[Index(names[i])]) return Wrong("kernel_names.name is there twice, in row {}", i);
      known[Index(names[i])] = true;
    }
    for (size_t g = 0; g < t_.gpu.name.size(); ++g) {
      if (t_.gpu.kind[g] == GpuKind::kKernel && !known[Index(t_.gpu.name[g])]) {
        return Wrong("kernel_names lacks the kernel of gpu_activities row {}", g);
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
    return {};
  }

  const Trace& trace_;
  const TraceTables& t_;
  const FactTables& facts_;
};

// Tables of facts about the rows of another have as many rows as that.
size_t ExpectedRows(const Trace& trace, const HostFactsTable&) {
  return RowCount(trace.tables.host);
}
size_t ExpectedRows(const Trace& trace, const ApiFactsTable&) { return RowCount(trace.tables.api); }
size_t ExpectedRows(const Trace& trace, const GpuFactsTable&) { return RowCount(trace.tables.gpu); }
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
