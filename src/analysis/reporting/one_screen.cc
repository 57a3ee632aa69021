#include "analysis/reporting/one_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/advice/render_advice.h"
#include "analysis/advice/stored_advice.h"
#include "analysis/reporting/display_width.h"
#include "analysis/reporting/format.h"
#include "analysis/reporting/op_kinds.h"
#include "analysis/reporting/report_cache.h"
#include "analysis/reporting/screen_text.h"
#include "analysis/reporting/system_info.h"
#include "analysis/reporting/trust_sentence.h"
#include "base/printable.h"

namespace warpsight {
namespace {

constexpr size_t kTopRows = 5;
constexpr size_t kTopFindings = 3;
constexpr size_t kMostCauses = 4;
// Shares below these are noise on a screen that is to be read at a glance.
constexpr double kLeastIdle = 0.05;
constexpr double kLeastCause = 0.01;
constexpr double kLeastPart = 0.0005;

double Ratio(DurationNs part, DurationNs whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string Percent(double share) { return FormatShare(share, 1); }

// A name without namespaces; for names that would have to be cut.
std::string WithoutNamespaces(std::string_view name) {
  const size_t at = name.substr(0, name.find('<')).rfind("::");
  return std::string(at == name.npos ? name : name.substr(at + 2));
}

struct EntryLook {
  std::string_view mark;  // where there is no colour
  Ink ink;
};

constexpr std::array<EntryLook, kGpuEntries.size()> kGpuLooks = {{
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
constexpr std::array<EntryLook, kHostEntries.size()> kHostLooks = {{
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
        op_table_(OpTableOf(input)),
        kernel_uses_(KernelUsesOf(input, *op_table_)),
        ops_(*op_table_),
        uses_(*kernel_uses_),
        totals_(SumKernels(uses_)),
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

  std::string PerStep(DurationNs total) const {
    return FormatDuration(static_cast<double>(total) / static_cast<double>(range_.steps()));
  }

  void Heading() {
    std::string machine = DescribeUsedDevices(trace_);
    const std::vector<bool> timeline = SourcesWithTimeline(trace_);
    if (std::count(timeline.begin(), timeline.end(), true) == 1) {
      const auto source = std::find(timeline.begin(), timeline.end(), true) - timeline.begin();
      const std::string rank = DescribeRank(trace_, MakeId<SourceId>(static_cast<size_t>(source)));
      if (!rank.empty()) machine += (machine.empty() ? "" : " · ") + rank;
    }
    page_.Title(trace_.profile_name, machine);
  }

  void Step() {
    std::string text = FormatDuration(static_cast<double>(range_.average_iteration));
    if (range_.iteration_deviation > 0) {
      text += fmt::format(" ± {}", FormatDuration(static_cast<double>(range_.iteration_deviation)));
    }
    if (const double rate = range_.SamplesPerSecond(); rate >= 0) {
      text += fmt::format(" · {} samples/s{}", FormatFixed(rate, rate < 100 ? 1 : 0),
                          CountSourcesWithTimeline(trace_) > 1 ? " and process" : "");
    }
    page_.Gap();
    page_.Label("Step");
    const std::string with_explanation =
        fmt::format("{} · {}", text, Printable(range_.explanation));
    if (DisplayWidth(with_explanation) <= page_.width()) {
      page_.Line(with_explanation);
    } else {
      page_.Line(text);
      page_.Paragraph(range_.explanation);
    }
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
      const EntryLook& look =
          range_.gpus.empty() ? kHostLooks[parts.size()] : kGpuLooks[parts.size()];
      parts.push_back({range_.Share(range_.Of(entry)), look.mark, look.ink});
    }
    page_.Line(StackedBar(parts, page_.width(), page_.style()));
    Legend(parts);
  }

  void Legend(const std::vector<BarPart>& parts) {
    std::string line;
    size_t used = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].share < kLeastPart) continue;
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
    if (range_.gpus.empty() || idle < kLeastIdle) return;
    page_.Gap();
    page_.Label("GPU idle");
    const int64_t gpus = CountUsedDevices(trace_);
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
    causes.resize(std::min(causes.size(), kMostCauses));
    for (const auto& [time, cause] : causes) {
      CostRow row;
      row.name = ToString(cause);
      row.share = range_.Share(time);
      // In one step of one GPU, so that it compares with the step above.
      const auto steps =
          static_cast<double>(range_.iterations()) * static_cast<double>(range_.gpus.size());
      page_.Line(Cost(row, FormatDuration(static_cast<double>(time) / steps), ""));
    }
  }

  // The findings that would save most: what to read first in `warpsight advise`.
  void WhatToChange() {
    const Advice advice = LoadAdvice(input_.profile);
    auto findings = ChooseFindings(advice, {});
    if (findings.empty()) return;
    const size_t all = findings.size();
    findings.resize(std::min(all, kTopFindings));
    page_.Gap();
    page_.Label("Change first");
    PrintBriefly(findings, page_);
    HintLine("warpsight advise PROFILE",
             all > kTopFindings ? fmt::format("the change to make, and {} more", all - kTopFindings)
                                : std::string("the change to make, and what it rests on"));
  }

  // Ops added up by type and direction: on one screen the kinds say more than the nodes.
  void Ops() {
    const bool by_gpu = HasGpuWork();
    const std::vector<OpKind> kinds = KindsOfOps(ops_);
    // Where all go the same way, as in inference, the way says nothing.
    const bool ways = std::any_of(kinds.begin(), kinds.end(), [](const OpKind& kind) {
      return kind.associated && kind.direction != Direction::kForward;
    });
    bool any_op = false;
    DurationNs all = 0;
    std::vector<CostRow> rows;
    for (const OpKind& kind : kinds) {
      any_op |= kind.associated;
      CostRow& row = rows.emplace_back();
      row.name = kind.type;
      if (ways && kind.associated) row.detail = ToString(kind.direction);
      row.time = by_gpu ? kind.gpu : kind.cpu;
      all += row.time;
      row.tensor_cores = kind.uses_tensor_cores      ? TensorCores::kYes
                         : kind.may_use_tensor_cores ? TensorCores::kUnknown
                                                     : TensorCores::kNo;
    }
    page_.Gap();
    page_.Label("Ops");
    if (!any_op) {
      page_.Paragraph(HasGpuWork() ? "None of the GPU work was started by a recorded op."
                                   : "The aggregated iterations hold no ops.");
      if (!HasGpuWork()) return;
    }
    CostTable(by_gpu ? "by GPU time" : "by CPU time", std::move(rows), all);
  }

  void Kernels() {
    if (!HasGpuWork()) return;
    std::map<std::pair<std::string_view, TensorCores>, CostRow> kinds;
    DurationNs all = 0;
    for (const KernelUse& use : uses_) {
      if (use.kind != GpuKind::kKernel) continue;
      const std::string_view name = ShortName(input_.profile, use);
      CostRow& row = kinds[{name, use.tensor_cores}];
      row.name = name;
      row.time += use.gpu.total;
      row.tensor_cores = use.tensor_cores;
      all += use.gpu.total;
    }
    page_.Gap();
    page_.Label("Kernels");
    if (kinds.empty()) {
      page_.Paragraph("Only copies and memsets ran.");
      return;
    }
    std::vector<CostRow> rows;
    rows.reserve(kinds.size());
    for (auto& [key, row] : kinds) rows.push_back(std::move(row));
    CostTable("by GPU time", std::move(rows), all);
  }

  void CostTable(std::string_view title, std::vector<CostRow> rows, DurationNs all) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](const CostRow& a, const CostRow& b) { return a.time > b.time; });
    const size_t shown = std::min(rows.size(), kTopRows);
    const std::string more = rows.size() > shown
                                 ? fmt::format("{}, top {} of {}", title, shown, rows.size())
                                 : std::string(title);
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

  // A narrow page has room for names or for bars.
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
    if (unknown > 1 - kLeastCause) {
      page_.Paragraph(
          fmt::format("Of no kernel in eligible ops is it known whether it uses them.{}",
                      LedBy(" They take", totals_.eligible, TensorCores::kUnknown)));
      return;
    }
    const DurationNs without =
        totals_.eligible - totals_.eligible_on_tensor_cores - totals_.eligible_unknown;
    page_.Paragraph(
        fmt::format("{}{} of the kernel time in eligible ops {}uses them{}.{}{}",
                    efficiency == 0 ? "None" : Percent(efficiency),
                    totals_.eligible_measured == totals_.eligible ? " (measured)" : "",
                    unknown > kLeastCause ? "surely " : "", Precisions(),
                    LedBy(efficiency == 0         ? " It is"
                          : unknown > kLeastCause ? " Surely not:"
                                                  : " The rest is",
                          without, TensorCores::kNo),
                    LedBy(" Not known:", totals_.eligible_unknown, TensorCores::kUnknown)));
  }

  // A part of the time in eligible ops, and the largest of its kernels.
  std::string LedBy(std::string_view begin, DurationNs time, TensorCores kind) const {
    if (Ratio(time, totals_.eligible) < kLeastCause) return "";
    const auto largest = std::find_if(uses_.begin(), uses_.end(), [&](const KernelUse& use) {
      return use.kind == GpuKind::kKernel && use.in_eligible_op && use.tensor_cores == kind;
    });
    std::string text = fmt::format("{} {} per step", begin, PerStep(time));
    if (largest != uses_.end()) {
      text +=
          fmt::format(", led by {}{} in {}", WithoutNamespaces(ShortName(input_.profile, *largest)),
                      PrecisionOf(*largest), ops_.ops()[largest->op].type);
    }
    return text + ".";
  }

  std::string WithoutEligibleOps() const {
    if (totals_.tensor_cores.count == 0) {
      return "No kernel is known to use them, and no op to be of a kind that could (matrix "
             "products, convolutions, attention, recurrent cells).";
    }
    return fmt::format("{} of all GPU time uses them{}; no recorded op says how much could.",
                       Percent(Ratio(totals_.tensor_cores.gpu, totals_.all.gpu)), Precisions());
  }

  std::string_view Precision(const KernelUse& use) const {
    const FactTables& facts = input_.profile.facts;
    return trace_.Text(facts.kernel_names.precision[facts.KernelRow(use.name)]);
  }

  std::string PrecisionOf(const KernelUse& use) const {
    const std::string_view precision = Precision(use);
    return precision.empty() || precision == "unknown" ? "" : fmt::format(" ({})", precision);
  }

  // " (bf16)" or " (bf16 90 %, tf32 10 %)": the number formats of the kernels that use them.
  std::string Precisions() const {
    std::map<std::string_view, DurationNs> times;
    for (const KernelUse& use : uses_) {
      if (use.tensor_cores == TensorCores::kYes) times[Precision(use)] += use.gpu.total;
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
      parts.push_back(
          fmt::format("{} {}", precision, Percent(Ratio(time, totals_.tensor_cores.gpu))));
    }
    return fmt::format(" ({})", fmt::join(parts, ", "));
  }

  // Three next questions, the first of them about the verdict.
  void Further() {
    using Hint = std::pair<std::string_view, std::string_view>;
    Hint first{"gaps", "why the GPU waits"};
    if (range_.verdict == TimeGroup::kKernels) first = {"tensor_core", "missed Tensor Cores"};
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

  void HintLine(std::string_view command, std::string_view what) {
    page_.Line(
        fmt::format("{}  {}", Fit(command, kCommandWidth), Inked(what, Ink::kDim, page_.style())));
  }

  static constexpr size_t kBarWidth = 12;
  static constexpr size_t kWidthForBars = 80;
  // "warpsight report PROFILE --report tensor_core"
  static constexpr size_t kCommandWidth = 45;
  static constexpr size_t kShareWidth = 7;
  static constexpr size_t kTimeWidth = 9;
  static constexpr size_t kLastWidth = 12;

  const ReportInput& input_;
  const RangeSummary& range_;
  const Trace& trace_;
  const std::shared_ptr<const OpTable> op_table_;
  const std::shared_ptr<const std::vector<KernelUse>> kernel_uses_;
  const OpTable& ops_;
  const std::vector<KernelUse>& uses_;
  const KernelTotals totals_;
  Page page_;
};

}  // namespace

std::string OneScreen(const ReportInput& input, const TextStyle& style) {
  return Screen(input, style).Print();
}

}  // namespace warpsight
