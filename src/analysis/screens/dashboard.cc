#include "analysis/screens/dashboard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "analysis/accounting/range_clean_steps.h"
#include "analysis/advice/stored_advice.h"
#include "analysis/aggregation/op_kinds.h"
#include "analysis/aggregation/report_cache.h"
#include "analysis/facts/trust_sentence.h"
#include "analysis/reporting/event_text.h"
#include "analysis/reporting/system_info.h"
#include "analysis/screens/clean_step_text.h"
#include "analysis/screens/guidance.h"
#include "analysis/screens/render_advice.h"
#include "base/json_builder.h"

namespace warpsight {
namespace {

constexpr size_t kTopOps = 10;
constexpr size_t kTopFindings = 5;
constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

double Percent(DurationNs part, DurationNs whole) {
  return whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : kNotKnown;
}

class Dashboard {
 public:
  explicit Dashboard(const ReportInput& input)
      : input_(input),
        range_(input.range),
        trace_(input.profile.trace),
        ops_(OpTableOf(input)),
        kernels_(SumKernels(input.profile.facts)) {}

  std::string Json() const {
    return JsonObject()
        .Text("profile_name", trace_.profile_name)
        .Text("device", DescribeUsedDevices(trace_, range_))
        .Integer("gpus", static_cast<int64_t>(range_.gpus.size()))
        .Json("step", Step())
        .Json("verdict", JsonObject()
                             .Text("id", VerdictId(range_.verdict))
                             .Text("group", ToString(range_.verdict))
                             .Text("headline", Headline(range_.verdict))
                             .Text("reason", range_.verdict_reason)
                             .Take())
        .Json("trust", Trust())
        .Json("gpu_utilization", Utilization())
        .Json("resources", Resources())
        .Json("host", Host())
        .Json("idle", Idle())
        .Json("kernels", Kernels())
        .Json("tensor_cores",
              JsonObject()
                  .Real("percent", Efficiency())
                  .Integer("eligible_ns", OfGpus(kernels_.eligible))
                  .Integer("eligible_on_tensor_cores_ns", OfGpus(kernels_.eligible_on_tensor_cores))
                  .Integer("unknown_ns", OfGpus(kernels_.eligible_unknown))
                  .Take())
        .Json("summary", Summary())
        .Json("iterations", Iterations())
        .Json("top_ops", TopOps())
        .Json("system", System())
        .Json("advice", Findings())
        .Integer("advice_total", static_cast<int64_t>(advice_.findings.size()))
        .Json("guidance", Guidances())
        .Take();
  }

 private:
  bool HasGpuWork() const { return kernels_.all.count > 0; }
  // Without recorded GPU work, nothing is known about GPUs, not even that they were idle.
  int64_t OfGpus(int64_t figure) const {
    return trace_.tables.gpu.start.empty() ? kMissing : figure;
  }
  // Nothing is known about a recording in which nothing has a duration.
  DurationNs Length(DurationNs time) const { return range_.wall == 0 ? kMissing : time; }
  double Efficiency() const {
    return kernels_.Efficiency() < 0 ? kNotKnown : 100 * kernels_.Efficiency();
  }
  double SamplesPerSecond() const {
    const double rate = range_.SamplesPerSecond();
    return rate < 0 ? kNotKnown : rate;
  }

  std::string Step() const {
    return JsonObject()
        .Integer("average_ns", Length(range_.average_iteration))
        .Integer("deviation_ns", range_.iteration_deviation)
        .Integer("unprofiled_ns", advice_.Replayed() ? advice_.unprofiled_step : kMissing)
        .Real("samples_per_second", SamplesPerSecond())
        .Integer("batch_size", range_.samples_per_iteration)
        .Json("clean", Clean())
        .Take();
  }

  // The step without the profiler as measured; null if the recording says nothing about it.
  std::string Clean() const {
    const CleanSteps steps = CleanStepsOf(trace_, range_);
    if (!steps.Known()) return "null";
    return JsonObject()
        .Integer("step_ns", steps.clean_step.value_or(kMissing))
        .Integer("low_ns", steps.clean_step ? steps.clean_low : kMissing)
        .Integer("high_ns", steps.clean_step ? steps.clean_high : kMissing)
        .Integer("steps", steps.clean_steps)
        .Integer("recorded_step_ns", steps.recorded_step.value_or(kMissing))
        .Integer("recording_added_ns", steps.Added().value_or(kMissing))
        .Text("text", CleanStepText(steps))
        .Take();
  }

  std::string Trust() const {
    JsonArray limits;
    for (const TrustLimit& limit : TrustLimits(input_.profile)) {
      limits.Json(JsonObject()
                      .Text("code", limit.code)
                      .YesNo("serious", limit.serious)
                      .Text("text", limit.text)
                      .Take());
    }
    return JsonObject()
        .Text("sentence", TrustSentence(input_.profile))
        .Json("limits", limits.Take())
        .Take();
  }

  std::string Utilization() const {
    JsonArray gpus;
    for (const GpuUse& use : range_.gpus) {
      gpus.Json(JsonObject()
                    .Text("gpu", GpuTitle(use.device))
                    .Text("name", trace_.Text(trace_.tables.devices.name[Index(use.device)]))
                    .Real("percent", Percent(use.kernel_busy, use.window.end - use.window.start))
                    .Take());
    }
    return JsonObject()
        .Real("percent", HasGpuWork() ? 100 * range_.gpu_utilization : kNotKnown)
        .Real("with_copies_percent", HasGpuWork() ? 100 * range_.gpu_utilization_all : kNotKnown)
        .Json("gpus", gpus.Take())
        .Take();
  }

  // "GPU 0", or "rank 3 GPU 0" if several processes have a GPU 0.
  std::string GpuTitle(DeviceId device) const {
    const DevicesTable& devices = trace_.tables.devices;
    const int64_t rank = trace_.tables.sources.rank[Index(devices.source[Index(device)])];
    const std::string title = fmt::format("GPU {}", devices.ordinal[Index(device)]);
    const bool several = CountSourcesWithTimeline(trace_) > 1 && rank != kMissing;
    return several ? fmt::format("rank {} {}", rank, title) : title;
  }

  static std::string Share(std::string_view id, std::string_view name, DurationNs time,
                           DurationNs whole) {
    return JsonObject()
        .Text("id", id)
        .Text("name", name)
        .Integer("ns", time)
        .Real("percent", Percent(time, whole))
        .Take();
  }

  std::string Resources() const {
    JsonArray parts;
    for (const LedgerEntry entry : range_.View()) {
      parts.Json(Share(IdOf(entry), ToString(entry), range_.Of(entry), range_.capacity));
    }
    return parts.Take();
  }

  std::string Host() const {
    JsonArray parts;
    for (const LedgerEntry entry : kHostEntries) {
      parts.Json(Share(IdOf(entry), ToString(entry), range_.Of(entry), range_.host_capacity));
    }
    return parts.Take();
  }

  std::string Idle() const {
    const bool known = !range_.gpus.empty();
    JsonArray causes;
    for (size_t i = 0; i < kIdleCauseCount; ++i) {
      const auto cause = static_cast<IdleCause>(i);
      causes.Json(Share(IdOf(cause), ToString(cause), known ? range_.Of(cause) : kMissing,
                        known ? range_.capacity : 0));
    }
    return JsonObject()
        .Integer("ns", known ? range_.idle : kMissing)
        .Real("percent", known ? Percent(range_.idle, range_.capacity) : kNotKnown)
        .Json("causes", causes.Take())
        .Take();
  }

  std::string Kernels() const {
    const auto part = [this](const KernelTotals::Part& of) {
      return JsonObject()
          .Integer("gpu_ns", OfGpus(of.gpu))
          .Integer("count", OfGpus(of.count))
          .Take();
    };
    return JsonObject()
        .Json("all", part(kernels_.all))
        .Json("tensor_cores", part(kernels_.tensor_cores))
        .Json("memory", part(kernels_.memory))
        .Json("other", part(kernels_.other))
        .Take();
  }

  static JsonObject SummaryEntry(std::string_view id, std::string_view name) {
    return JsonObject().Text("id", id).Text("name", name);
  }

  std::string Summary() const {
    const auto integer = [](std::string_view id, std::string_view name, int64_t value,
                            std::string_view unit, std::string_view doc) {
      return SummaryEntry(id, name)
          .Integer("value", value)
          .Text("unit", unit)
          .Text("doc", doc)
          .Take();
    };
    const auto percent = [](std::string_view id, std::string_view name, double value,
                            std::string_view doc) {
      return SummaryEntry(id, name).Real("value", value).Text("unit", "%").Text("doc", doc).Take();
    };
    return JsonArray()
        .Json(integer("wall_clock", "Wall Clock Time", Length(range_.wall), "ns",
                      "From the start of the first analyzed step's window to the end of the last "
                      "one's; with several GPUs or processes the longest."))
        .Json(percent(
            "tensor_core_efficiency", "Tensor Core Kernel Efficiency", Efficiency(),
            "Time of Tensor Core kernels inside eligible ops / kernel time inside these ops."))
        .Json(percent("gpu_utilization", "GPU Utilization",
                      HasGpuWork() ? 100 * range_.gpu_utilization : kNotKnown,
                      "Time with a kernel running / time of the analyzed steps, over the GPUs "
                      "that did any work. Copies and memsets do not count."))
        .Json(integer("total_iterations", "Total Iterations", range_.total, "",
                      "Iterations in the trace."))
        .Json(integer("profiled_iterations", "Profiled Iterations", range_.iterations(), "",
                      "The analyzed steps. If no range was chosen, leading iterations that take "
                      "much longer than the median are warm-up and left out."))
        .Json(integer("start_iteration", "Start Iteration", range_.first, "",
                      "Number of the first analyzed step, counted from 0."))
        .Json(integer("stop_iteration", "Stop Iteration", range_.last, "",
                      "Number of the last analyzed step, counted from 0."))
        .Json(integer("average_iteration", "Average Iteration Time",
                      Length(range_.average_iteration), "ns",
                      "Wall clock time / number of analyzed steps."))
        .Json(Throughput())
        .Take();
  }

  std::string Throughput() const {
    JsonObject entry = SummaryEntry("throughput", "Throughput");
    const bool samples = range_.SamplesPerSecond() >= 0;
    const bool several = CountSourcesWithTimeline(trace_) > 1;
    double rate = kNotKnown;
    if (samples) {
      rate = SamplesPerSecond();
    } else if (range_.average_iteration > 0) {
      rate = 1e9 / static_cast<double>(range_.average_iteration);
    }
    return entry.Real("value", rate)
        .Text("unit", fmt::format("{}/s{}", samples ? "samples" : "iterations",
                                  several ? " per process" : ""))
        .Text("doc", samples
                         ? "Samples per iteration / average iteration time. The batch size was "
                           "given, or estimated from the input shape of the model's first layer."
                         : "Analyzed steps / wall clock time; the batch size is unknown.")
        .Take();
  }

  std::string Iterations() const {
    const AggregationsTable& table = input_.profile.facts.aggregations;
    return JsonObject()
        .Integer("total", range_.total)
        .Integer("first", range_.first)
        .Integer("last", range_.last)
        .Text("source", ToString(range_.source))
        .Text("explanation", range_.explanation)
        .Text("key_op", table.key_op.empty() ? "" : trace_.Text(table.key_op.front()))
        .Take();
  }

  // The types of ops, each with its largest op: ordered by GPU time, or by CPU time without GPU
  // work.
  std::string TopOps() const {
    const std::vector<OpKind> kinds = KindsOfOps(*ops_);
    const auto time = [this](const OpKind& kind) { return HasGpuWork() ? kind.gpu : kind.cpu; };
    DurationNs all = 0;
    for (const OpKind& kind : kinds) all += time(kind);
    JsonArray rows;
    size_t shown = 0;
    for (const OpKind& kind : kinds) {
      if (shown++ == kTopOps || time(kind) == 0) break;
      const Op& op = ops_->ops()[kind.largest];
      rows.Json(JsonObject()
                    .Text("type", kind.type)
                    .Text("direction", kind.associated ? ToString(kind.direction) : "")
                    .Integer("ops", kind.ops)
                    .Integer("calls", kind.calls)
                    .Integer("gpu_ns", OfGpus(kind.gpu))
                    .Integer("cpu_ns", kind.cpu)
                    .Real("share_percent", Percent(time(kind), all))
                    .YesNo("tc_eligible", kind.eligible_ops > 0)
                    .Json("uses_tc", UsesTensorCores(kind))
                    .Text("op_id", op.id)
                    .Text("name", op.name)
                    .Json("event", EventJson(op.Place()))
                    .Take());
    }
    return rows.Take();
  }

  // Null if it is unknown.
  std::string_view UsesTensorCores(const OpKind& kind) const {
    if (kind.uses_tensor_cores) return "true";
    return kind.may_use_tensor_cores || trace_.tables.gpu.start.empty() ? "null" : "false";
  }

  std::string System() const {
    JsonArray lines;
    const auto add = [&](std::string_view name, std::string_view value) {
      lines.Json(JsonObject().Text("name", name).Text("value", value).Take());
    };
    for (const auto& [name, value] : DescribeSystem(input_.profile)) add(name, value);
    add("Warpsight", WARPSIGHT_VERSION);
    return lines.Take();
  }

  std::string Findings() const {
    JsonArray list;
    auto findings = ChooseFindings(advice_, {});
    findings.resize(std::min(findings.size(), kTopFindings));
    for (const RankedFinding* finding : findings) {
      list.Json(
          JsonObject()
              .Text("rule", finding->rule)
              .Text("problem", finding->problem)
              .Text("recommendation", finding->recommendation)
              .Real("speedup", finding->predicts ? finding->speedup : kNotKnown)
              .Integer("predicted_step_ns", finding->predicts ? finding->predicted_step : kMissing)
              .Integer("saving_ns", finding->predicts ? finding->saving : kMissing)
              .Text("confidence", ToString(finding->confidence))
              .Json("event", EventJson(FirstEvidence(*finding)))
              .Take());
    }
    return list.Take();
  }

  std::string Guidances() const {
    JsonArray list;
    for (const Guidance& guidance : GuidanceFor(input_)) {
      JsonObject query;
      for (const auto& [key, value] : guidance.query) query.Text(key, value);
      list.Json(JsonObject()
                    .Text("text", guidance.text)
                    .Text("view", guidance.view)
                    .Json("query", query.Take())
                    .Take());
    }
    return list.Take();
  }

  const ReportInput& input_;
  const RangeSummary& range_;
  const Trace& trace_;
  const std::shared_ptr<const OpTable> ops_;
  const KernelTotals kernels_;
  const Advice advice_ = LoadAdvice(input_.profile);
};

}  // namespace

std::string DashboardJson(const ReportInput& input) { return Dashboard(input).Json() + "\n"; }

}  // namespace warpsight
