#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/aggregation/kernel_table.h"
#include "analysis/facts/trust_sentence.h"
#include "analysis/text/format.h"
#include "base/json_builder.h"
#include "mcp/tools/cost_tables.h"
#include "mcp/tools/quoted.h"
#include "mcp/tools/sources.h"
#include "mcp/tools/step_facts.h"
#include "mcp/tools/tools.h"
#include "model/time_groups.h"

namespace warpsight::mcp {
namespace {

constexpr size_t kTopRows = 5;

double Real(DurationNs time) { return static_cast<double>(time); }

class Summary {
 public:
  explicit Summary(const OpenedProfile& opened)
      : opened_(opened), range_(opened.range()), totals_(SumKernels(opened.facts())) {
    content_.Text("profile", opened.id());
    Step();
    Verdict();
    Breakdown();
    Utilization();
    TensorCoreUse();
    Costs();
    Trust();
  }

  Answer Take() { return {std::move(text_), content_.Json("sources", sources_.Json()).Take()}; }

 private:
  bool HasGpuWork() const { return totals_.all.count > 0; }

  void Step() {
    const Advice& advice = opened_.advice();
    JsonObject step;
    AddStepLength(opened_, step);
    content_.Json(
        "step", step.Integer("unprofiled_ns", advice.Replayed() ? advice.unprofiled_step : kMissing)
                    .Integer("first", range_.first)
                    .Integer("last", range_.last)
                    .Integer("total", range_.total)
                    .Integer("batch_size", range_.samples_per_iteration)
                    .Integer("synchronizations", range_.synchronizations)
                    .Take());
    content_.Text("found_by", ToString(range_.source));
    content_.Text("explanation", ShortSentence(range_.explanation));
    sources_.Sql("step", StepLengthSql(range_));
    sources_.Sql(
        "step",
        "SELECT a.first, a.last, a.batch_size, (SELECT max(number) + 1 FROM iterations) AS "
        "total, (SELECT sum(synchronizations) FROM iterations WHERE number BETWEEN a.first "
        "AND a.last) AS synchronizations, (SELECT CASE WHEN replayed_step_ns > 0 THEN "
        "unprofiled_step_ns END FROM advice) AS unprofiled_ns FROM aggregations a");
    text_ += "Step: " + StepText(opened_);
    if (advice.Replayed()) {
      text_ += fmt::format(", about {} without the profiler", TimeText(advice.unprofiled_step));
    }
    text_ += "\n";
  }

  void Verdict() {
    content_.Json("verdict", JsonObject()
                                 .Text("id", VerdictId(range_.verdict))
                                 .Text("headline", Headline(range_.verdict))
                                 .Take());
    text_ += fmt::format("Most time: {}\n", Headline(range_.verdict));
  }

  // The parts that took any time, the largest first.
  void Breakdown() {
    std::vector<LedgerEntry> entries(range_.View().begin(), range_.View().end());
    std::erase_if(entries, [this](LedgerEntry entry) { return range_.Of(entry) == 0; });
    std::stable_sort(entries.begin(), entries.end(),
                     [this](LedgerEntry a, LedgerEntry b) { return range_.Of(a) > range_.Of(b); });
    JsonArray rows;
    std::string text;
    for (const LedgerEntry entry : entries) {
      const DurationNs time = range_.Of(entry);
      rows.Json(JsonObject()
                    .Integer("entry", static_cast<int64_t>(entry))
                    .Text("part", ToString(entry))
                    .Integer("ns", time)
                    .Integer("ns_per_step", PerStep(range_, time))
                    .Real("percent", RoundPercent(Real(time), Real(range_.capacity)))
                    .Take());
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", ToString(entry),
                          FormatShare(Real(time), Real(range_.capacity)));
    }
    content_.Json("breakdown", rows.Take());
    sources_.Sql("breakdown",
                 fmt::format("SELECT entry, sum(ns) AS ns, sum(ns) // {} AS ns_per_step, {} AS "
                             "percent FROM ledger_totals WHERE {} GROUP BY entry ORDER BY ns DESC, "
                             "entry",
                             StepCountSql(range_), PercentSql("sum(ns)", "sum(sum(ns)) OVER ()"),
                             LedgerWhere(range_)));
    text_ += fmt::format("{}: {}\n",
                         range_.gpus.empty() ? "Time of the process" : "Time of the GPU", text);
  }

  void Utilization() {
    const bool known = HasGpuWork() && !range_.gpus.empty();
    constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();
    content_.Json(
        "gpu",
        JsonObject()
            .Integer("gpus", static_cast<int64_t>(range_.gpus.size()))
            .Real("utilization_percent",
                  known ? RoundPercent(Real(range_.kernel_busy), Real(range_.capacity)) : kNotKnown)
            .Integer("idle_ns", known ? range_.idle : kMissing)
            .Real("idle_percent",
                  known ? RoundPercent(Real(range_.idle), Real(range_.capacity)) : kNotKnown)
            .Take());
    sources_.Sql(
        "gpu",
        known ? fmt::format(
                    "SELECT count(DISTINCT device_id) AS gpus, {} AS utilization_percent, "
                    "coalesce(sum(ns) FILTER (entry >= 4), 0) AS idle_ns, {} AS idle_percent FROM "
                    "ledger_totals WHERE {}",
                    PercentSql("coalesce(sum(ns) FILTER (entry <= 2), 0)", "sum(ns)"),
                    PercentSql("coalesce(sum(ns) FILTER (entry >= 4), 0)", "sum(ns)"),
                    LedgerWhere(range_))
              : fmt::format("SELECT count(DISTINCT device_id) AS gpus FROM ledger_totals WHERE "
                            "device_id IN ({})",
                            range_.gpus.empty() ? "NULL" : GpuList(range_)));
    if (known) {
      text_ += fmt::format("GPU idle: {} of the time\n",
                           FormatShare(Real(range_.idle), Real(range_.capacity)));
    }
  }

  void TensorCoreUse() {
    if (!HasGpuWork()) return;
    const bool eligible = totals_.eligible > 0;
    content_.Json("tensor_cores",
                  JsonObject()
                      .Integer("eligible_ns", totals_.eligible)
                      .Integer("on_tensor_cores_ns", totals_.eligible_on_tensor_cores)
                      .Integer("unknown_ns", totals_.eligible_unknown)
                      .Real("percent", RoundPercent(Real(totals_.eligible_on_tensor_cores),
                                                    Real(totals_.eligible)))
                      .Take());
    const std::string_view yes = "coalesce(sum(u.gpu_ns) FILTER (c.tensor_cores), 0)";
    sources_.Sql("tensor_cores",
                 fmt::format("SELECT coalesce(sum(u.gpu_ns), 0) AS eligible_ns, {} AS "
                             "on_tensor_cores_ns, coalesce(sum(u.gpu_ns) FILTER (c.tensor_cores IS "
                             "NULL), 0) AS unknown_ns, {} AS percent FROM kernel_uses u JOIN "
                             "kernel_classes c USING (name_id) WHERE u.kind = 0 AND "
                             "u.in_eligible_op = 1",
                             yes, PercentSql(yes, "nullif(sum(u.gpu_ns), 0)")));
    text_ += eligible
                 ? fmt::format(
                       "Tensor Cores: {} of the kernel time in ops that can use them\n",
                       FormatShare(Real(totals_.eligible_on_tensor_cores), Real(totals_.eligible)))
                 : "Tensor Cores: no op is known that can use them\n";
  }

  void Costs() {
    const CostTable ops = TopOps(opened_, kTopRows);
    content_.Json("top_ops", ops.rows);
    sources_.Sql("top_ops", ops.sql);
    if (ops.shown > 0) text_ += "Top ops:\n" + ops.text;
    const CostTable kernels = TopKernels(opened_, kTopRows);
    content_.Json("top_kernels", kernels.rows);
    sources_.Sql("top_kernels", kernels.sql);
    if (kernels.shown > 0) text_ += "Top kernels:\n" + kernels.text;
  }

  void Trust() {
    JsonArray limits;
    std::string codes;
    for (const TrustLimit& limit : TrustLimits(opened_.view())) {
      JsonObject row;
      row.Text("code", limit.code).YesNo("serious", limit.serious);
      // These two say that something is missing as a whole.
      if (limit.code != "no_gpu_work" && limit.code != "no_cpu_ops") {
        row.Real("percent", std::round(100 * limit.share * 100) / 100);
        codes += fmt::format("{}'{}'", codes.empty() ? "" : ", ", limit.code);
      }
      limits.Json(row.Take());
    }
    const std::string sentence = TrustSentence(opened_.view());
    content_.Json("trust",
                  JsonObject().Text("sentence", sentence).Json("limits", limits.Take()).Take());
    if (!codes.empty()) {
      sources_.SqlOf("", "trust.limits",
                     fmt::format("SELECT code, round(1e2 * (count / of), 2) AS percent FROM "
                                 "trust_counts WHERE code IN ({})",
                                 codes),
                     "code");
    }
    text_ += "Trust: " + sentence + "\n";
  }

  const OpenedProfile& opened_;
  const RangeSummary& range_;
  const KernelTotals totals_;
  JsonObject content_;
  Sources sources_;
  std::string text_;
};

}  // namespace

Tool SummaryTool(const Profiles& profiles) {
  return {"summary",
          "Summarize a profile",
          "Where the time goes: length of a step, parts of the GPU's time and causes of idle time, "
          "Tensor Core use, the five costliest ops and kernels, and how far the numbers can be "
          "trusted.",
          {ProfileParameter()},
          [profiles](const Arguments& arguments, Progress& /*progress*/) -> Result<Answer> {
            const auto opened = profiles->Find(arguments.Text("profile"));
            if (!opened.ok()) return opened.error();
            return Summary(**opened).Take();
          }};
}

}  // namespace warpsight::mcp
