#include "mcp/tools/cost_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "analysis/aggregation/kernel_table.h"
#include "analysis/text/format.h"
#include "base/json_builder.h"
#include "mcp/tools/quoted.h"
#include "mcp/tools/step_facts.h"

namespace warpsight::mcp {
namespace {

std::string_view YesNoUnknown(TensorCores use) {
  switch (use) {
    case TensorCores::kYes:
      return "true";
    case TensorCores::kNo:
      return "false";
    case TensorCores::kUnknown:
      break;
  }
  return "null";
}

// "- "name": 12.3 ms per step, 45.6 %"
std::string Line(const RangeSummary& range, std::string_view name, std::string_view detail,
                 DurationNs time, DurationNs all) {
  return fmt::format("- {}{}: {} per step, {}\n", Quoted(name), detail,
                     TimeText(PerStep(range, time)),
                     FormatShare(static_cast<double>(time), static_cast<double>(all)));
}

// Once the SQL gives all rows.
void LimitTo(size_t limit, CostTable& table) {
  table.total_sql = fmt::format("SELECT count(*) AS total FROM ({})", table.sql);
  table.sql += fmt::format(" LIMIT {}", limit);
}

CostTable WorkTable(const OpenedProfile& opened, const std::vector<WorkGroup>& groups, size_t limit,
                    bool kernels) {
  const RangeSummary& range = opened.range();
  CostTable table;
  table.total = groups.size();
  table.shown = std::min(limit, groups.size());
  DurationNs all = 0;
  for (const WorkGroup& group : groups) all += group.gpu;
  JsonArray rows;
  for (size_t i = 0; i < table.shown; ++i) {
    const WorkGroup& group = groups[i];
    JsonObject row;
    row.Text("name", ShortName(group.name));
    if (kernels) row.Json("tensor_cores", YesNoUnknown(group.tensor_cores));
    rows.Json(
        row.Integer("count", group.count)
            .Integer("gpu_ns", group.gpu)
            .Integer("ns_per_step", PerStep(range, group.gpu))
            .Real("percent", RoundPercent(static_cast<double>(group.gpu), static_cast<double>(all)))
            .Take());
    const bool uses = kernels && group.tensor_cores == TensorCores::kYes;
    table.text += Line(range, group.name, uses ? " (Tensor Cores)" : "", group.gpu, all);
  }
  table.rows = rows.Take();
  const std::string sums = fmt::format(
      "sum(u.count) AS count, sum(u.gpu_ns) AS gpu_ns, sum(u.gpu_ns) // {} AS ns_per_step, {} AS "
      "percent",
      StepCountSql(range), PercentSql("sum(u.gpu_ns)", "sum(sum(u.gpu_ns)) OVER ()"));
  table.sql = kernels
                  ? fmt::format(
                        "SELECT c.short_name AS name, c.tensor_cores, {} FROM kernel_uses u JOIN "
                        "kernel_classes c USING (name_id) WHERE u.kind = 0 GROUP BY 1, 2 ORDER BY "
                        "gpu_ns DESC, 1, 2 NULLS FIRST",
                        sums)
                  : fmt::format(
                        "SELECT s.text AS name, {} FROM kernel_uses u JOIN strings s ON s.id = "
                        "u.name_id WHERE u.kind <> 0 GROUP BY 1 ORDER BY gpu_ns DESC, 1",
                        sums);
  LimitTo(limit, table);
  return table;
}

}  // namespace

CostTable TopKernels(const OpenedProfile& opened, size_t limit) {
  return WorkTable(opened, GroupKernels(opened.view()), limit, true);
}

CostTable TopCopies(const OpenedProfile& opened, size_t limit) {
  return WorkTable(opened, GroupCopies(opened.view()), limit, false);
}

// By GPU time; by CPU time where no GPU did anything.
CostTable TopOps(const OpenedProfile& opened, size_t limit) {
  const RangeSummary& range = opened.range();
  const OpKindsTable& kinds = opened.facts().op_kinds;
  const bool by_gpu = SumKernels(opened.facts()).all.count > 0;
  const Column<DurationNs>& time = by_gpu ? kinds.gpu : kinds.cpu;
  std::vector<size_t> order(kinds.type.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::erase_if(order, [&](size_t i) { return time[i] == 0; });
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return time[a] > time[b]; });
  const DurationNs all = std::accumulate(time.begin(), time.end(), DurationNs{0});
  CostTable table;
  table.total = order.size();
  table.shown = std::min(limit, order.size());
  JsonArray rows;
  for (size_t rank = 0; rank < table.shown; ++rank) {
    const size_t i = order[rank];
    const std::string_view name = opened.trace().Text(kinds.type[i]);
    const bool op = kinds.associated[i] != 0;
    const std::string_view direction = op ? ToString(kinds.direction[i]) : "";
    rows.Json(
        JsonObject()
            .Text("op", ShortName(name))
            .Text("direction", direction)
            .Integer("calls", kinds.calls[i])
            .Integer("gpu_ns", by_gpu ? kinds.gpu[i] : kMissing)
            .Integer("cpu_ns", kinds.cpu[i])
            .Integer("ns_per_step", PerStep(range, time[i]))
            .Real("percent", RoundPercent(static_cast<double>(time[i]), static_cast<double>(all)))
            .Json("tensor_cores", by_gpu ? YesNoUnknown(kinds.tensor_cores[i]) : "null")
            .Take());
    table.text += Line(range, name, op ? fmt::format(" ({})", direction) : "", time[i], all);
  }
  table.rows = rows.Take();
  const std::string_view column = by_gpu ? "k.gpu_ns" : "k.cpu_ns";
  table.sql = fmt::format(
      "SELECT s.text AS op, k.calls, {} AS gpu_ns, k.cpu_ns, {} // {} AS ns_per_step, {} AS "
      "percent "
      "FROM op_kinds k LEFT JOIN strings s ON s.id = k.type_id WHERE {} > 0 ORDER BY {} DESC, "
      "k.rowid",
      by_gpu ? "k.gpu_ns" : "NULL", column, StepCountSql(range),
      PercentSql(column, fmt::format("sum({}) OVER ()", column)), column, column);
  LimitTo(limit, table);
  return table;
}

}  // namespace warpsight::mcp
