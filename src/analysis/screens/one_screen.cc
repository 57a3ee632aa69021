#include "analysis/screens/one_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/accounting/range_clean_steps.h"
#include "analysis/advice/stored_advice.h"
#include "analysis/aggregation/kernel_table.h"
#include "analysis/facts/trust_sentence.h"
#include "analysis/reporting/system_info.h"
#include "analysis/screens/clean_step_text.h"
#include "analysis/screens/per_step.h"
#include "analysis/screens/render_advice.h"
#include "analysis/text/display_width.h"
#include "analysis/text/format.h"
#include "analysis/text/screen_text.h"
#include "base/printable.h"

namespace warpsight {
namespace {

constexpr size_t kTopRows = 5;
constexpr size_t kTopFindings = 3;
constexpr size_t kMaxCauses = 4;
// Smaller shares are noise on a screen that should be readable at a glance.
constexpr double kNotablePause = 0.05;
constexpr double kMinIdle = 0.05;
constexpr double kLeastCause = 0.01;
constexpr double kMinPart = 0.0005;

double Ratio(DurationNs part, DurationNs whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string Percent(double share) { return FormatShare(share, 1); }

// A name without namespaces, for names that would have to be shortened.
std::string WithoutNamespaces(std::string_view name) {
  const size_t at = name.substr(0, name.find('<')).rfind("::");
  return std::string(at == name.npos ? name : name.substr(at + 2));
}

struct EntryStyle {
  std::string_view mark;  // used without color
  Ink ink;
};

constexpr std::array<EntryStyle, kGpuEntries.size()> kGpuEntryStyles = {{
    {"█", Ink::kGreen},
    {"▓", Ink::kBlue},
    {"▚", Ink::kMagenta},
    {"▒", Ink::kCyan},
    {"▤", Ink::kRed},
    {"▥", Ink::kRed},
    {"▦", Ink::kRed},
    {"░", Ink::kYellow},
    {"▧", Ink::kYellow},
    {"▨", Ink::kMagenta},
    {"▩", Ink::kMagenta},
    {"·", Ink::kDim},
}};
constexpr std::array<EntryStyle, kHostEntries.size()> kHostEntryStyles = {{
    {"▤", Ink::kRed},
    {"▪", Ink::kDim},
    {"▥", Ink::kRed},
    {"▧", Ink::kYellow},
    {"▒", Ink::kCyan},
    {"▦", Ink::kRed},
    {"▨", Ink::kMagenta},
    {"░", Ink::kYellow},
    {"▩", Ink::kRed},
    {"·", Ink::kDim},
}};

// A row of the tables of ops and kernels.
struct CostRow {
  std::string name;
  std::string detail;
  DurationNs time = 0;
  double share = 0;
  TensorCores tensor_cores = TensorCores::kNo;
};

class Screen {
 public:
  Screen(const ReportInput& input, const TextStyle& style)
      : input_(input),
        range_(input.range),
        trace_(input.profile.trace),
        facts_(input.profile.facts),
        kinds_(facts_.op_kinds),
        uses_(facts_.kernel_uses),
        totals_(SumKernels(facts_)),
        page_(style) {}

  std::string Print() {
    Heading();
    Step();
    VerdictBar();
    Idle();
    WhatToChange();
    Ops();
    Kernels();
    TensorCoreUse();
    page_.Gap();
    page_.Label("Trust");
    page_.Paragraph(TrustSentence(input_.profile));
    Further();
    return page_.Take();
  }

 private:
  bool HasGpuWork() const { return totals_.all.count > 0; }

  // Per step of one GPU, so that it can be compared with the step; without GPU work, per step of
  // one process.
  std::string PerStep(DurationNs total) const {
    return FormatDuration(static_cast<double>(total) / static_cast<double>(GpuSteps(range_)));
  }

  void Heading() {
    std::string machine = DescribeUsedDevices(trace_, range_);
    const std::vector<bool> timeline = SourcesWithTimeline(trace_);
    if (std::count(timeline.begin(), timeline.end(), true) == 1) {
      const auto source = std::find(timeline.begin(), timeline.end(), true) - timeline.begin();
      const std::string rank = DescribeRank(trace_, MakeId<SourceId>(static_cast<size_t>(source)));
      if (!rank.empty()) machine += (machine.empty() ? "" : " · ") + rank;
    }
    page_.Title(trace_.profile_name, machine);
  }

  void Step() {
    const std::string text = StepText();
    page_.Gap();
    page_.Label("Step");
    const std::string with_explanation =
        fmt::format("{} · {}", text, Printable(range_.explanation));
    if (DisplayWidth(with_explanation) <= page_.width()) {
      page_.Line(with_explanation);
    } else {
      page_.Paragraph(text);
      page_.Paragraph(range_.explanation);
    }
    const std::string clean = CleanStepText(clean_);
    if (clean_.clean_step) {
      page_.Paragraph("Step without the profiler " + clean);
    } else if (!clean.empty()) {
      page_.Paragraph(clean);
    }
  }

  // The length, spread and rate of the step as recorded, and the baseline of predictions.
  std::string StepText() const {
    if (range_.wall == 0) return "not available";
    const auto time = [](DurationNs ns) { return FormatDuration(static_cast<double>(ns)); };
    std::string text = time(range_.average_iteration);
    if (range_.iterations() > 1 && range_.iteration_deviation > 0) {
      text += " ± " + time(range_.iteration_deviation);
    }
    const DurationNs pause = range_.average_iteration - range_.worked_iteration;
    if (Ratio(pause, range_.average_iteration) >= kNotablePause) {
      text += fmt::format(", {} of it a pause until the next iteration", time(pause));
    }
    if (const size_t ranks = range_.ranks.size(); ranks > 1) {
      text +=
          fmt::format(" on the slowest of {} ranks (median {})", ranks, time(range_.MedianStep()));
    } else if (const size_t gpus = range_.gpus.size(); gpus > 1) {
      text += fmt::format(" on the slowest of {} GPUs", gpus);
    }
    if (const double rate = range_.SamplesPerSecond(); rate >= 0) {
      text += fmt::format(" · {} samples/s{}", FormatFixed(rate, rate < 100 ? 1 : 0),
                          CountSourcesWithTimeline(trace_) > 1 ? " per process" : "");
    }
    if (clean_.clean_step != advice_.unprofiled_step && advice_.Replayed() &&
        time(advice_.unprofiled_step) != time(range_.average_iteration)) {
      text += fmt::format(" · about {} without the profiler", time(advice_.unprofiled_step));
    }
    return text;
  }

  void VerdictBar() {
    page_.Gap();
    page_.Label("Most time");
    const Ink ink = range_.verdict == TimeGroup::kKernels       ? Ink::kGreen
                    : range_.verdict == TimeGroup::kIdleUnknown ? Ink::kDim
                                                                : Ink::kYellow;
    page_.Paragraph(fmt::format("{}: {}", Headline(range_.verdict), range_.verdict_reason), ink);
    if (range_.capacity == 0) return;
    std::vector<BarPart> parts;
    for (const LedgerEntry entry : range_.View()) {
      const EntryStyle& look =
          range_.gpus.empty() ? kHostEntryStyles[parts.size()] : kGpuEntryStyles[parts.size()];
      parts.push_back({range_.Share(range_.Of(entry)), look.mark, look.ink});
    }
    page_.Line(StackedBar(parts, page_.width(), page_.style()));
    Legend(parts);
  }

  void Legend(const std::vector<BarPart>& parts) {
    std::string line;
    size_t used = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].share < kMinPart) continue;
      const std::string_view mark = page_.style().color ? "█" : parts[i].mark;
      const std::string entry =
          fmt::format(" {} {}", ToString(range_.View()[i]), Percent(parts[i].share));
      const size_t width = DisplayWidth(mark) + DisplayWidth(entry);
      if (used > 0 && used + 3 + width > page_.width()) {
        page_.Line(line);
        line.clear();
        used = 0;
      }
      if (used > 0) line += "   ";
      line += Inked(mark, parts[i].ink, page_.style()) + entry;
      used += width + (used > 0 ? 3 : 0);
    }
    if (!line.empty()) page_.Line(line);
  }

  void Idle() {
    const double idle = Ratio(range_.idle, range_.capacity);
    if (range_.gpus.empty() || idle < kMinIdle) return;
    page_.Gap();
    page_.Label("GPU idle");
    const size_t gpus = range_.gpus.size();
    page_.Line(fmt::format("{} of the time{}:", Percent(idle),
                           gpus > 1 ? fmt::format(", averaged over {} GPUs", gpus) : ""));
    std::vector<std::pair<DurationNs, IdleCause>> causes;
    for (size_t i = 0; i < kIdleCauseCount; ++i) {
      const auto cause = static_cast<IdleCause>(i);
      if (Ratio(range_.Of(cause), range_.idle) >= kLeastCause) {
        causes.emplace_back(range_.Of(cause), cause);
      }
    }
    std::sort(causes.begin(), causes.end(), std::greater<>());
    causes.resize(std::min(causes.size(), kMaxCauses));
    for (const auto& [time, cause] : causes) {
      CostRow row;
      row.name = ToString(cause);
      row.share = range_.Share(time);
      page_.Line(Cost(row, PerStep(time), ""));
    }
  }

  // The findings that save the most time.
  void WhatToChange() {
    auto findings = ChooseFindings(advice_, {});
    if (findings.empty()) return;
    const size_t all = findings.size();
    findings.resize(std::min(all, kTopFindings));
    page_.Gap();
    page_.Label(IsUncertain(*findings.front()) ? "Worth trying" : "Change first");
    PrintBriefly(advice_, findings, page_);
    if (findings.front()->predicts) page_.Paragraph(RoughReplay(advice_));
    HintLine("warpsight advise PROFILE",
             all > kTopFindings ? fmt::format("the change to make, and {} more", all - kTopFindings)
                                : std::string("the change to make, and why"));
  }

  // Ops summed by type and direction, which are more informative on one screen than single ops.
  void Ops() {
    const bool by_gpu = HasGpuWork();
    const auto is_op = [&](size_t i) { return kinds_.associated[i] != 0; };
    bool any_op = false;
    bool ways = false;
    for (size_t i = 0; i < kinds_.type.size(); ++i) {
      any_op |= is_op(i);
      ways |= is_op(i) && kinds_.direction[i] != Direction::kForward;
    }
    DurationNs all = 0;
    std::vector<CostRow> rows;
    for (size_t i = 0; i < kinds_.type.size(); ++i) {
      const DurationNs time = by_gpu ? kinds_.gpu[i] : kinds_.cpu[i];
      if (time == 0) continue;
      CostRow& row = rows.emplace_back();
      row.name = trace_.Text(kinds_.type[i]);
      // If all ops have the same direction, as in inference, it is not shown.
      if (ways && is_op(i)) row.detail = ToString(kinds_.direction[i]);
      row.time = time;
      all += time;
      row.tensor_cores = kinds_.tensor_cores[i];
    }
    page_.Gap();
    page_.Label("Ops");
    if (!any_op) {
      page_.Paragraph(HasGpuWork() ? "No recorded op launched the GPU work."
                                   : "The analyzed steps contain no ops.");
      if (!HasGpuWork()) return;
    }
    CostTable(by_gpu ? "by GPU time" : "by CPU time", std::move(rows), all);
  }

  void Kernels() {
    if (!HasGpuWork()) return;
    const std::vector<WorkGroup> groups = GroupKernels(input_.profile);
    page_.Gap();
    page_.Label("Kernels");
    if (groups.empty()) {
      page_.Paragraph("Only copies and memsets ran.");
      return;
    }
    DurationNs all = 0;
    std::vector<CostRow> rows;
    rows.reserve(groups.size());
    for (const WorkGroup& group : groups) {
      CostRow& row = rows.emplace_back();
      row.name = group.name;
      row.time = group.gpu;
      row.tensor_cores = group.tensor_cores;
      all += group.gpu;
    }
    CostTable("by GPU time", std::move(rows), all);
  }

  void CostTable(std::string_view title, std::vector<CostRow> rows, DurationNs all) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](const CostRow& a, const CostRow& b) { return a.time > b.time; });
    const size_t shown = std::min(rows.size(), kTopRows);
    std::string more(title);
    if (HasGpuWork() && range_.gpus.size() > 1)
      more += fmt::format(" of {} GPUs", range_.gpus.size());
    if (rows.size() > shown) more += fmt::format(", top {} of {}", shown, rows.size());
    page_.Line(Inked(Columns(more, "", "share", "per step", HasGpuWork() ? "Tensor Cores" : ""),
                     Ink::kDim, page_.style()));
    rows.resize(shown);
    for (CostRow& row : rows) {
      row.share = Ratio(row.time, all);
      const std::string_view tensor_cores = !HasGpuWork()                           ? ""
                                            : row.tensor_cores == TensorCores::kYes ? "yes"
                                            : row.tensor_cores == TensorCores::kNo  ? "no"
                                                                                    : "unknown";
      page_.Line(Cost(row, PerStep(row.time), tensor_cores));
    }
  }

  std::string Cost(const CostRow& row, std::string_view time, std::string_view last) const {
    const std::string detail = row.detail.empty() ? "" : ", " + row.detail;
    const size_t room = NameWidth() - DisplayWidth(detail);
    const std::string name = DisplayWidth(row.name) <= room
                                 ? row.name
                                 : ShortenMiddle(WithoutNamespaces(row.name), room);
    return Columns(name + detail, Bar(row.share, BarWidth()), Percent(row.share), time, last);
  }

  // A narrow page has room for names or for bars, but not for both.
  size_t BarWidth() const { return page_.width() < kWidthForBars ? 0 : kBarWidth; }

  size_t NameWidth() const {
    const size_t bar = BarWidth() == 0 ? 0 : BarWidth() + 2;
    return page_.width() - bar - kShareWidth - kTimeWidth - kLastWidth - 6;
  }

  std::string Columns(std::string_view name, std::string_view bar, std::string_view share,
                      std::string_view time, std::string_view last) const {
    std::string line = Fit(name, NameWidth());
    if (BarWidth() > 0) {
      line += "  " + Inked(Fit(bar, BarWidth()), Ink::kBlue, page_.style());
    }
    return fmt::format("{}  {}  {}  {}", line, Fit(share, kShareWidth, Align::kRight),
                       Fit(time, kTimeWidth, Align::kRight), Fit(last, kLastWidth));
  }

  // The share of eligible kernel time that uses Tensor Cores, and its share of all kernel time.
  void TensorCoreUse() {
    if (!HasGpuWork()) return;
    page_.Gap();
    page_.Label("Tensor Cores");
    const double efficiency = totals_.Efficiency();
    if (efficiency < 0) {
      page_.Paragraph(WithoutEligibleOps());
      return;
    }
    const double unknown = Ratio(totals_.eligible_unknown, totals_.eligible);
    const DurationNs without =
        totals_.eligible - totals_.eligible_on_tensor_cores - totals_.eligible_unknown;
    std::string text;
    if (unknown > 1 - kLeastCause) {
      text = "Tensor Core use is unknown for all kernels in eligible ops";
    } else {
      text = fmt::format("{}{} of the kernel time in eligible ops {}uses them{}",
                         efficiency == 0 ? "None" : Percent(efficiency),
                         totals_.eligible_measured == totals_.eligible ? " (measured)" : "",
                         unknown > kLeastCause ? "surely " : "",
                         Precisions(totals_.eligible_on_tensor_cores, true));
    }
    text += fmt::format("; such ops hold {} of all kernel time.",
                        Percent(Ratio(totals_.eligible, KernelTime())));
    text += LedBy(" Without them:", without, TensorCores::kNo);
    text += LedBy(" Not known:", totals_.eligible_unknown, TensorCores::kUnknown);
    page_.Paragraph(text + ElsewhereOnTensorCores());
  }

  DurationNs KernelTime() const { return totals_.tensor_cores.gpu + totals_.other.gpu; }

  // A part of the time in eligible ops, and the kernel with the largest share of it.
  std::string LedBy(std::string_view begin, DurationNs time, TensorCores kind) const {
    if (Ratio(time, totals_.eligible) < kLeastCause) return "";
    std::string text = fmt::format("{} {} per step", begin, PerStep(time));
    for (size_t i = 0; i < uses_.name.size(); ++i) {
      if (uses_.kind[i] != GpuKind::kKernel || uses_.in_eligible_op[i] == 0 ||
          TensorCoresOf(i) != kind) {
        continue;
      }
      const std::string_view name = ShortName(input_.profile, uses_.kind[i], uses_.name[i]);
      text +=
          fmt::format(", led by {}{} in {}", ShortenMiddle(WithoutNamespaces(name), kLongestName),
                      PrecisionOf(i), ShortenMiddle(trace_.Text(uses_.op_type[i]), kLongestName));
      break;
    }
    return text + ".";
  }

  // Kernels that use Tensor Cores in ops whose names do not show that they can: graphs, custom
  // calls.
  std::string ElsewhereOnTensorCores() const {
    const DurationNs time = totals_.tensor_cores.gpu - totals_.eligible_on_tensor_cores;
    const double share = Ratio(time, KernelTime());
    if (share < kLeastCause) return "";
    return fmt::format(" In other ops {} per step use them, {} of all kernel time.", PerStep(time),
                       Percent(share));
  }

  std::string WithoutEligibleOps() const {
    if (totals_.tensor_cores.count > 0) {
      return fmt::format(
          "{} of the kernel time uses them{}; the eligible share is unknown without recorded ops.",
          Percent(Ratio(totals_.tensor_cores.gpu, KernelTime())),
          Precisions(totals_.tensor_cores.gpu, false));
    }
    DurationNs unknown = 0;
    for (size_t i = 0; i < uses_.name.size(); ++i) {
      if (TensorCoresOf(i) == TensorCores::kUnknown) unknown += uses_.gpu[i];
    }
    const std::string not_known = unknown > 0 ? fmt::format("; unknown for {} of the kernel time",
                                                            Percent(Ratio(unknown, KernelTime())))
                                              : "";
    constexpr std::string_view kKinds =
        "(matrix products, convolutions, attention, recurrent cells)";
    const int64_t eligible =
        std::accumulate(kinds_.eligible_ops.begin(), kinds_.eligible_ops.end(), int64_t{0});
    if (eligible == 0) {
      return fmt::format("No kernel is known to use them{}. No op is eligible {}.", not_known,
                         kKinds);
    }
    return fmt::format(
        "No kernel is known to use them{}. {} op{} eligible {}, but no kernel ran in {}.",
        not_known, FormatCount(eligible), eligible == 1 ? " is" : "s are", kKinds,
        eligible == 1 ? "it" : "them");
  }

  // The Tensor Core use of a row of kernel_uses.
  TensorCores TensorCoresOf(size_t use) const {
    return uses_.kind[use] == GpuKind::kKernel ? facts_.TensorCoresOf(uses_.name[use])
                                               : TensorCores::kNo;
  }

  // The number format of a kernel in a row of kernel_uses.
  std::string_view Precision(size_t use) const {
    return trace_.Text(facts_.kernel_names.precision[facts_.KernelRow(uses_.name[use])]);
  }

  std::string PrecisionOf(size_t use) const {
    const std::string_view precision = Precision(use);
    return precision.empty() || precision == "unknown" ? "" : fmt::format(" ({})", precision);
  }

  // " (bf16)" or " (bf16 90 %, tf32 10 %)": the number formats of all kernels that use them, or of
  // those in eligible ops. `whole` is their time.
  std::string Precisions(DurationNs whole, bool in_eligible_ops) const {
    std::map<std::string_view, DurationNs> times;
    for (size_t i = 0; i < uses_.name.size(); ++i) {
      if (TensorCoresOf(i) != TensorCores::kYes) continue;
      if (in_eligible_ops && uses_.in_eligible_op[i] == 0) continue;
      times[Precision(i)] += uses_.gpu[i];
    }
    std::vector<std::pair<DurationNs, std::string_view>> sorted;
    for (const auto& [precision, time] : times) {
      const bool known = !precision.empty() && precision != "unknown";
      sorted.emplace_back(time, known ? precision : "unknown format");
    }
    if (sorted.empty()) return "";
    if (sorted.size() == 1) return fmt::format(" ({})", sorted[0].second);
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    std::vector<std::string> parts;
    parts.reserve(sorted.size());
    for (const auto& [time, precision] : sorted) {
      parts.push_back(fmt::format("{} {}", precision, Percent(Ratio(time, whole))));
    }
    return fmt::format(" ({})", fmt::join(parts, ", "));
  }

  // Suggests three reports; the first one depends on the verdict.
  void Further() {
    using Hint = std::pair<std::string_view, std::string_view>;
    Hint first{"gaps", "why the GPU waits"};
    if (range_.verdict == TimeGroup::kKernels) {
      const bool missed = totals_.eligible > totals_.eligible_on_tensor_cores;
      first = missed ? Hint{"tensor_core", "missed Tensor Cores"} : Hint{"kernel", "every kernel"};
    }
    if (!HasGpuWork()) first = {"op_type", "the costliest ops"};
    if (range_.verdict == TimeGroup::kIdleData) first = {"steps", "cost of the loader"};
    page_.Gap();
    page_.Label("Look further");
    for (const auto& [report, what] :
         {first, Hint{"detail", "every op"}, Hint{"trust", "limits of accuracy"}}) {
      HintLine(fmt::format("warpsight report PROFILE --report {}", report), what);
    }
    HintLine("warpsight report --list", "all reports");
  }

  // Aligned if it fits, otherwise without padding, otherwise on two lines.
  void HintLine(std::string_view command, std::string_view what) {
    const std::string dim = Inked(what, Ink::kDim, page_.style());
    const size_t rest = 2 + DisplayWidth(what);
    if (kCommandWidth + rest <= page_.width()) {
      page_.Line(fmt::format("{}  {}", Fit(command, kCommandWidth), dim));
    } else if (DisplayWidth(command) + rest <= page_.width()) {
      page_.Line(fmt::format("{}  {}", command, dim));
    } else {
      page_.Line(command);
      page_.Line("  " + dim);
    }
  }

  static constexpr size_t kBarWidth = 12;
  static constexpr size_t kWidthForBars = 80;
  // The width of "warpsight report PROFILE --report tensor_core".
  static constexpr size_t kCommandWidth = 45;
  static constexpr size_t kShareWidth = 7;
  static constexpr size_t kTimeWidth = 9;
  static constexpr size_t kLastWidth = 12;
  // The length of names of kernels and ops in sentences.
  static constexpr size_t kLongestName = 48;

  const ReportInput& input_;
  const RangeSummary& range_;
  const Trace& trace_;
  const FactTables& facts_;
  const OpKindsTable& kinds_;
  const KernelUsesTable& uses_;
  const KernelTotals totals_;
  const Advice advice_ = LoadAdvice(input_.profile);
  const CleanSteps clean_ = CleanStepsOf(trace_, range_);
  Page page_;
};

}  // namespace

std::string OneScreen(const ReportInput& input, const TextStyle& style) {
  return Screen(input, style).Print();
}

}  // namespace warpsight
