#include "mcp/tools/step_facts.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "analysis/screens/per_step.h"
#include "analysis/text/format.h"

namespace warpsight::mcp {
namespace {

constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

// Of a recording without any length nothing is known.
DurationNs AverageStep(const RangeSummary& range) {
  return range.wall == 0 ? kMissing : range.average_iteration;
}

// In full tenths, as the SQL rounds it.
double SamplesPerSecond(const RangeSummary& range) {
  const double rate = range.SamplesPerSecond();
  return rate < 0 ? kNotKnown : std::round(rate * 10) / 10;
}

// The windows of the analyzed iterations of the slowest rank: a row for each and each of its GPUs.
std::string WindowsSql(const RangeSummary& range) {
  const size_t source = range.ranks.empty() ? 0 : Index(range.SlowestRank().source);
  if (range.gpus.empty()) {
    return fmt::format(
        "SELECT i.number, 0 AS gpu, i.window_start_ns AS start_ns, i.window_end_ns AS end_ns, "
        "greatest(i.end_ns, i.gpu_end_ns) AS worked_until FROM iterations i JOIN aggregations a ON "
        "i.number BETWEEN a.first AND a.last WHERE i.source_id = {}",
        source);
  }
  return fmt::format(
      "SELECT i.number, w.device_id AS gpu, w.start_ns, w.end_ns, greatest(i.end_ns, i.gpu_end_ns) "
      "AS worked_until FROM gpu_windows w JOIN iterations i ON i.rowid = w.iteration_id JOIN "
      "aggregations a ON i.number BETWEEN a.first AND a.last WHERE i.source_id = {} AND "
      "w.device_id IN ({})",
      source, GpuList(range));
}

}  // namespace

std::string GpuList(const RangeSummary& range) {
  std::string list;
  for (const GpuUse& use : range.gpus) {
    list += fmt::format("{}{}", list.empty() ? "" : ", ", Index(use.device));
  }
  return list;
}

std::string StepCountSql(const RangeSummary& range) {
  const int64_t factor = range.iterations() > 0 ? GpuSteps(range) / range.iterations() : 1;
  constexpr std::string_view kIterations = "last - first + 1";
  return factor == 1 ? fmt::format("(SELECT {} FROM aggregations)", kIterations)
                     : fmt::format("(SELECT {} * ({}) FROM aggregations)", factor, kIterations);
}

std::string StepLengthSql(const RangeSummary& range) {
  return fmt::format(
      "WITH w AS ({}), step AS (SELECT nullif((SELECT max(ns) FROM (SELECT max(end_ns) - "
      "min(start_ns) AS "
      "ns FROM w GROUP BY gpu)) // (SELECT count(DISTINCT number) FROM w), 0) AS average_ns, "
      "(SELECT round(stddev_samp(ns)) FROM (SELECT max(greatest(start_ns, least(end_ns, "
      "worked_until)) - start_ns) AS ns FROM w GROUP BY number)) AS deviation_ns) "
      "SELECT average_ns, deviation_ns, round(1e9 * (SELECT batch_size FROM aggregations) / "
      "average_ns, 1) AS samples_per_second FROM step",
      WindowsSql(range));
}

JsonObject& AddStepLength(const OpenedProfile& opened, JsonObject& object) {
  const RangeSummary& range = opened.range();
  return object.Integer("average_ns", AverageStep(range))
      .Integer("deviation_ns", range.iteration_deviation)
      .Real("samples_per_second", SamplesPerSecond(range));
}

std::string LedgerWhere(const RangeSummary& range) {
  if (range.gpus.empty()) return "device_id IS NULL AND entry >= 14";
  return fmt::format("device_id IN ({}) AND entry < 12", GpuList(range));
}

double RoundPercent(double part, double whole) {
  return whole > 0 ? std::round(100.0 * part / whole * 100) / 100 : kNotKnown;
}

std::string PercentSql(std::string_view part, std::string_view whole) {
  return fmt::format("round(1e2 * {} / {}, 2)", part, whole);
}

int64_t PerStep(const RangeSummary& range, DurationNs total) {
  const int64_t steps = GpuSteps(range);
  return steps > 0 ? total / steps : kMissing;
}

std::string TimeText(DurationNs time) { return FormatDuration(static_cast<double>(time)); }

std::string StepText(const OpenedProfile& opened) {
  const RangeSummary& range = opened.range();
  if (range.wall == 0) return "not available";
  std::string text = TimeText(range.average_iteration);
  if (range.iteration_deviation > 0) text += " ± " + TimeText(range.iteration_deviation);
  if (const double rate = SamplesPerSecond(range); std::isfinite(rate)) {
    text += fmt::format(", {:.1f} samples/s", rate);
  }
  return text + fmt::format(", {} analyzed step{}", range.iterations(),
                            range.iterations() == 1 ? "" : "s");
}

}  // namespace warpsight::mcp
