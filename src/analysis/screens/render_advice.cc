#include "analysis/screens/render_advice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "analysis/accounting/range_clean_steps.h"
#include "analysis/accounting/range_summary.h"
#include "analysis/advice/predicted_range.h"
#include "analysis/kernels/kernel_class.h"
#include "analysis/reporting/event_text.h"
#include "analysis/reporting/system_info.h"
#include "analysis/screens/render_whatif.h"
#include "analysis/text/display_width.h"
#include "analysis/text/format.h"
#include "analysis/text/markdown_text.h"
#include "base/json_text.h"
#include "base/printable.h"

namespace warpsight {
namespace {

// If the replay differs from the measured step by more than this share, predictions are rough.
constexpr double kRoughReplay = 0.05;

std::string Time(DurationNs time) { return FormatDuration(static_cast<double>(time)); }

double ReplayError(const Advice& advice) {
  if (advice.measured_step <= 0) return 0;
  return static_cast<double>(advice.replayed_step) / static_cast<double>(advice.measured_step) - 1;
}

std::string DocumentationOf(std::string_view rule) { return fmt::format("docs/rules/{}.md", rule); }

RowLink LinkTo(const Evidence& evidence) {
  return IsSet(evidence.gpu) ? RowLink::To(evidence.gpu) : RowLink::To(evidence.host);
}

// "12.9 ms", "6×", "at 334 ms"; empty if unknown.
std::string EvidenceTime(const Evidence& evidence) {
  return evidence.time_per_step == kMissing ? "" : Time(evidence.time_per_step);
}
std::string EvidenceCount(const Evidence& evidence) {
  // Fewer than one per step would round to 0, which would mean that it never happens.
  return evidence.count_per_step <= 0 ? "" : FormatCount(evidence.count_per_step) + "×";
}
std::string EvidencePlace(const Evidence& evidence) {
  return evidence.instance ? "at " + Time(evidence.instance->start) : "";
}

// Evidence on one line, for Markdown.
std::string EvidenceLine(const Evidence& evidence) {
  std::string line = evidence.text;
  std::vector<std::string> figures;
  for (std::string text : {EvidenceTime(evidence), EvidenceCount(evidence)}) {
    if (!text.empty()) figures.push_back(std::move(text));
  }
  if (!figures.empty()) line += fmt::format(": {} per step", fmt::join(figures, ", "));
  if (evidence.instance) {
    // Kernel names can fill a page; the beginning is sufficient.
    constexpr size_t kLongest = 60;
    const std::string_view name = evidence.instance->name;
    line += fmt::format(", for instance {} {}",
                        name.size() <= kLongest ? std::string(name) : ShortKernelName(name),
                        EvidencePlace(evidence));
  }
  return line;
}

std::vector<std::string_view> CombinedRules(const Advice& advice) {
  std::vector<std::string_view> rules;
  for (const RankedFinding& finding : advice.findings) {
    if (finding.combined) rules.push_back(finding.rule);
  }
  return rules;
}

// The message for a single requested rule that found nothing.
std::string WithoutFinding(const Advice& advice, std::string_view rule) {
  for (const SkippedRule& skipped : advice.skipped) {
    if (skipped.rule == rule) return fmt::format("{} could not run: {}.", rule, skipped.because);
  }
  return fmt::format("{} found nothing to change.", rule);
}

std::string NothingToSay(const Advice& advice, const AdviceChoice& choice) {
  if (!choice.rule.empty()) return WithoutFinding(advice, choice.rule);
  if (!advice.Replayed()) {
    return "No prediction is possible: the analyzed steps contain no GPU work.";
  }
  return fmt::format("No rule found a change that would shorten the step by {:.0f} % or more.",
                     100 * kMinShownSaving);
}

// Says what was left out, and how to see it.
std::string LeftOut(const Advice& advice, const AdviceChoice& choice) {
  if (choice.all || !choice.rule.empty()) return "";
  const auto small = std::count_if(advice.findings.begin(), advice.findings.end(),
                                   [&](const auto& f) { return !advice.IsShownByDefault(f); });
  std::vector<std::string> parts;
  if (small > 0) {
    parts.push_back(fmt::format("{} finding{} that would save less than {:.0f} % of the step",
                                small, small == 1 ? "" : "s", 100 * kMinShownSaving));
  }
  if (!advice.skipped.empty()) {
    parts.push_back(fmt::format("{} rule{} that could not run", advice.skipped.size(),
                                advice.skipped.size() == 1 ? "" : "s"));
  }
  if (parts.empty()) return "";
  return fmt::format("{}: warpsight advise PROFILE --all", fmt::join(parts, " and "));
}

std::string_view Explanation(ProfileView profile) {
  const AggregationsTable& table = profile.facts.aggregations;
  return table.explanation.empty() ? "" : profile.trace.Text(table.explanation[0]);
}

// "about 32.3 ms" if the step without the profiler is an estimate, "32.3 ms" if it was measured.
std::string UnprofiledStep(ProfileView profile, const Advice& advice) {
  const bool measured = !profile.facts.aggregations.first.empty() &&
                        MeasuredCleanStep(profile.trace, SummarizeRange(profile)).has_value();
  return (measured ? "" : "about ") + Time(advice.unprofiled_step);
}

std::string StepSentence(ProfileView profile, const Advice& advice) {
  if (advice.measured_step == 0) return "not available";
  if (!advice.Replayed()) return fmt::format("{} measured", Time(advice.measured_step));
  return fmt::format("{} measured · {} replayed ({:+.1f} %) · {} without the profiler",
                     Time(advice.measured_step), Time(advice.replayed_step),
                     100 * ReplayError(advice), UnprofiledStep(profile, advice));
}

// The prediction of a finding: "1.20x faster · 32.3 ms → 27.0 ms".
std::string Promise(const Advice& advice, const RankedFinding& finding) {
  if (!finding.predicts && finding.saving > 0) {
    return fmt::format("saves {} of the recording", Time(finding.saving));
  }
  if (!finding.predicts) return "no gain predicted";
  return fmt::format("{} faster · {} → {}", FormatSpeedup(finding.speedup),
                     Time(advice.unprofiled_step), Time(finding.predicted_step));
}

// The range of a finding's speed-up as text: "1.16x to 1.50x faster in 80 % of measured changes".
std::string RangeSentence(const RankedFinding& finding) {
  const SpeedupRange range = PredictedRange(finding.rule, finding.speedup);
  return fmt::format("{} to {} faster in 80 % of measured changes", FormatSpeedup(range.low),
                     FormatSpeedup(range.high));
}

// The GPUs to which the advice applies, for a heading.
std::string Machine(ProfileView profile) {
  if (profile.facts.aggregations.first.empty()) return DescribeUsedDevices(profile);
  return DescribeUsedDevices(profile.trace, SummarizeRange(profile));
}

class AdvicePage {
 public:
  AdvicePage(ProfileView profile, const Advice& advice, const AdviceChoice& choice,
             const TextStyle& style)
      : profile_(profile), advice_(advice), choice_(choice), page_(style) {}

  std::string Print() {
    page_.Title(profile_.trace.profile_name, Machine(profile_));
    page_.Gap();
    page_.Label("Step");
    page_.Paragraph(StepSentence(profile_, advice_));
    page_.Paragraph(Explanation(profile_));
    page_.Paragraph(RoughReplay(advice_));
    const auto findings = ChooseFindings(advice_, choice_);
    for (size_t i = 0; i < findings.size(); ++i) Print(i + 1, *findings[i]);
    if (findings.empty()) Section("Advice", NothingToSay(advice_, choice_));
    Together();
    if (choice_.all && choice_.rule.empty()) SkippedRules();
    Section("Not shown", LeftOut(advice_, choice_));
    return page_.Take();
  }

 private:
  void Section(std::string_view label, std::string_view text) {
    if (text.empty()) return;
    page_.Gap();
    page_.Label(label);
    page_.Paragraph(text);
  }

  void Print(size_t rank, const RankedFinding& finding) {
    page_.Gap();
    page_.Title(fmt::format("{}  {}", rank, finding.rule), Promise(advice_, finding));
    if (finding.predicts) Entry("Range", RangeSentence(finding));
    Entry("Problem", finding.problem);
    Entry("Change", finding.recommendation);
    PrintEvidence(finding);
    Entry("Assumes", finding.assumes);
    Entry("Confidence",
          fmt::format("{} · {}", ToString(finding.confidence), DocumentationOf(finding.rule)));
  }

  void PrintEvidence(const RankedFinding& finding) {
    if (finding.evidence.empty()) return;
    page_.Label("Evidence");
    page_.Line(Inked(EvidenceRow("", "per step", "times", "instance"), Ink::kDim, page_.style()));
    for (const Evidence& evidence : finding.evidence) {
      const std::string text = Printable(evidence.text);
      const bool fits = DisplayWidth(text) <= EvidenceWidth();
      if (!fits) page_.Paragraph(text);
      page_.Line(EvidenceRow(fits ? text : "", EvidenceTime(evidence), EvidenceCount(evidence),
                             EvidencePlace(evidence)));
    }
  }

  size_t EvidenceWidth() const { return page_.width() - kTimeWidth - kCountWidth - kPlaceWidth; }

  std::string EvidenceRow(std::string_view text, std::string_view time, std::string_view count,
                          std::string_view place) const {
    return Fit(text, EvidenceWidth()) + Fit(time, kTimeWidth, Align::kRight) +
           Fit(count, kCountWidth, Align::kRight) + Fit(place, kPlaceWidth, Align::kRight);
  }

  // Prints text of several lines; lines that begin with a blank are code and stay unchanged.
  void Entry(std::string_view label, std::string_view text) {
    page_.Label(label);
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = text.substr(0, end);
      if (line.starts_with(' ')) {
        page_.Line(Printable(line));
      } else {
        page_.Paragraph(line);
      }
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  void Together() {
    if (advice_.combined_step == 0 || !choice_.rule.empty()) return;
    Section("Together",
            fmt::format("{} faster · {} → {} with {}", FormatSpeedup(advice_.CombinedSpeedup()),
                        Time(advice_.unprofiled_step), Time(advice_.combined_step),
                        fmt::join(CombinedRules(advice_), ", ")));
  }

  void SkippedRules() {
    if (advice_.skipped.empty()) return;
    page_.Gap();
    page_.Label("Could not run");
    for (const SkippedRule& skipped : advice_.skipped) {
      page_.Paragraph(fmt::format("{}: {}", skipped.rule, skipped.because));
    }
  }

  static constexpr size_t kTimeWidth = 10;
  static constexpr size_t kCountWidth = 8;
  static constexpr size_t kPlaceWidth = 13;

  ProfileView profile_;
  const Advice& advice_;
  const AdviceChoice& choice_;
  Page page_;
};

std::string JsonNumber(int64_t value) {
  return value == kMissing ? "null" : fmt::format("{}", value);
}

std::string JsonEvidence(const Evidence& evidence) {
  const std::optional<Instance>& instance = evidence.instance;
  const auto row = [](auto id) {
    return IsSet(id) ? fmt::format("{}", Index(id)) : std::string("null");
  };
  return fmt::format(
      R"({{"text": {}, "time_ns_per_step": {}, "count_per_step": {}, "name": {}, "start_ns": {}, )"
      R"("end_ns": {}, "host_id": {}, "gpu_id": {}, "event": {}}})",
      JsonString(evidence.text), JsonNumber(evidence.time_per_step),
      JsonNumber(evidence.count_per_step), instance ? JsonString(instance->name) : "null",
      JsonNumber(instance ? instance->start : kMissing),
      JsonNumber(instance ? instance->start + instance->duration : kMissing), row(evidence.host),
      row(evidence.gpu), EventJson(LinkTo(evidence)));
}

std::string JsonFinding(const RankedFinding& finding) {
  const SpeedupRange range = PredictedRange(finding.rule, finding.speedup);
  const auto speedup = [&](double value) {
    return finding.predicts ? fmt::format("{:.4f}", value) : std::string("null");
  };
  std::string text = fmt::format(
      "    {{\"rule\": {},\n     \"problem\": {},\n     \"recommendation\": {},\n"
      "     \"predicted_step_ns\": {},\n     \"predicted_speedup\": {},\n"
      "     \"predicted_low\": {},\n     \"predicted_high\": {},\n"
      "     \"saving_ns\": {},\n     \"confidence\": {},\n     \"evidence\": [",
      JsonString(finding.rule), JsonString(finding.problem), JsonString(finding.recommendation),
      JsonNumber(finding.predicts ? finding.predicted_step : kMissing), speedup(finding.speedup),
      speedup(range.low), speedup(range.high),
      JsonNumber(finding.predicts || finding.saving > 0 ? finding.saving : kMissing),
      JsonString(ToString(finding.confidence)));
  for (size_t i = 0; i < finding.evidence.size(); ++i) {
    text += (i == 0 ? "\n       " : ",\n       ") + JsonEvidence(finding.evidence[i]);
  }
  return text + fmt::format(
                    "],\n     \"assumes\": {},\n     \"predicts\": {},\n     \"combined\": {},\n"
                    "     \"documentation\": {}}}",
                    JsonString(finding.assumes), finding.predicts, finding.combined,
                    JsonString(DocumentationOf(finding.rule)));
}

std::string MarkdownFinding(const Advice& advice, size_t rank, const RankedFinding& finding) {
  std::string text = finding.predicts
                         ? fmt::format("## {}. {}: {} faster, {} → {}\n\n", rank, finding.rule,
                                       FormatSpeedup(finding.speedup), Time(advice.unprofiled_step),
                                       Time(finding.predicted_step))
                         : fmt::format("## {}. {}\n\n", rank, finding.rule);
  if (finding.predicts) text += fmt::format("**Range** {}.\n\n", RangeSentence(finding));
  text += fmt::format("{}\n\n**Change.** ", EscapeMarkdown(finding.problem));
  // Lines that begin with a blank are code.
  std::string_view rest = finding.recommendation;
  bool in_code = false;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    const bool code = line.starts_with(' ');
    if (code != in_code) text += code ? "\n```python\n" : "```\n\n";
    in_code = code;
    text += (code ? Printable(line) : EscapeMarkdown(line)) + "\n";
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (in_code) text += "```\n";
  text += "\n";
  for (const Evidence& evidence : finding.evidence) {
    text += fmt::format("- {}\n", EscapeMarkdown(EvidenceLine(evidence)));
  }
  if (!finding.evidence.empty()) text += "\n";
  if (!finding.assumes.empty()) {
    text += fmt::format("**Assumes** {}.\n\n", EscapeMarkdown(finding.assumes));
  }
  return text + fmt::format("**Confidence** {} ([{}]({}))\n\n", ToString(finding.confidence),
                            finding.rule, DocumentationOf(finding.rule));
}

}  // namespace

RowLink FirstEvidence(const RankedFinding& finding) {
  for (const Evidence& evidence : finding.evidence) {
    const RowLink place = LinkTo(evidence);
    if (IsSet(place.gpu) || IsSet(place.host)) return place;
  }
  return {};
}

std::vector<const RankedFinding*> ChooseFindings(const Advice& advice, const AdviceChoice& choice) {
  std::vector<const RankedFinding*> chosen;
  for (const RankedFinding& finding : advice.findings) {
    const bool wanted = choice.rule.empty() ? choice.all || advice.IsShownByDefault(finding)
                                            : finding.rule == choice.rule;
    if (wanted) chosen.push_back(&finding);
  }
  return chosen;
}

std::string FormatSpeedup(double speedup) {
  return fmt::format("{:.{}f}x", speedup, speedup < 10 ? 2 : 1);
}

std::string RoughReplay(const Advice& advice) {
  if (!advice.Replayed() || std::abs(ReplayError(advice)) <= kRoughReplay) return "";
  return "The replay differs from the measured step; the predictions are rough.";
}

void PrintBriefly(const Advice& advice, const std::vector<const RankedFinding*>& findings,
                  Page& page) {
  for (size_t i = 0; i < findings.size(); ++i) {
    const RankedFinding& finding = *findings[i];
    const std::string promise = Promise(advice, finding);
    const size_t room = page.width() - DisplayWidth(promise) - 1;
    page.Line(Fit(fmt::format("{}  {}", i + 1, finding.rule), room) + " " +
              Inked(promise, finding.predicts ? Ink::kGreen : Ink::kDim, page.style()));
    page.Line("   " + Shorten(Printable(finding.problem), page.width() - 3));
  }
}

std::string RenderAdviceBrief(ProfileView profile, const Advice& advice, const AdviceChoice& choice,
                              const TextStyle& style) {
  Page page(style);
  page.Title(profile.trace.profile_name, Machine(profile));
  page.Label("Step");
  page.Paragraph(StepSentence(profile, advice));
  const auto findings = ChooseFindings(advice, choice);
  page.Label("Advice");
  if (findings.empty()) page.Paragraph(NothingToSay(advice, choice));
  PrintBriefly(advice, findings, page);
  return page.Take();
}

std::string RenderAdviceText(ProfileView profile, const Advice& advice, const AdviceChoice& choice,
                             const TextStyle& style) {
  return AdvicePage(profile, advice, choice, style).Print();
}

std::string RenderAdviceJson(const Advice& advice, const AdviceChoice& choice) {
  std::string text =
      fmt::format("{{\n  \"step_ns\": {},\n  \"replay_step_ns\": {},\n",
                  JsonNumber(advice.measured_step == 0 ? kMissing : advice.measured_step),
                  JsonNumber(advice.Replayed() ? advice.replayed_step : kMissing));
  text += "  \"findings\": [";
  const auto findings = ChooseFindings(advice, choice);
  for (size_t i = 0; i < findings.size(); ++i) {
    text += (i == 0 ? "\n" : ",\n") + JsonFinding(*findings[i]);
  }
  text += findings.empty() ? "],\n  \"skipped\": [" : "\n  ],\n  \"skipped\": [";
  bool first = true;
  for (const SkippedRule& skipped : advice.skipped) {
    if (!choice.rule.empty() && skipped.rule != choice.rule) continue;
    text += fmt::format("{}\n    {{\"rule\": {}, \"because\": {}}}", first ? "" : ",",
                        JsonString(skipped.rule), JsonString(skipped.because));
    first = false;
  }
  const bool combined = advice.combined_step != 0;
  return text + fmt::format(
                    "{}],\n  \"critical_path_ns\": {},\n  \"unprofiled_step_ns\": {},\n  "
                    "\"combined_step_ns\": {},\n"
                    "  \"combined_speedup\": {}\n}}\n",
                    first ? "" : "\n  ", advice.Replayed() ? JsonPath(advice.path) : "null",
                    JsonNumber(advice.Replayed() ? advice.unprofiled_step : kMissing),
                    JsonNumber(combined ? advice.combined_step : kMissing),
                    combined ? fmt::format("{:.4f}", advice.CombinedSpeedup()) : "null");
}

std::string RenderAdviceMarkdown(ProfileView profile, const Advice& advice,
                                 const AdviceChoice& choice) {
  std::string text = fmt::format("# Advice on {}\n\n", EscapeMarkdown(profile.trace.profile_name));
  const auto paragraph = [&](std::string_view words) {
    if (!words.empty()) text += EscapeMarkdown(words) + "\n\n";
  };
  paragraph(fmt::format("Step: {}.", StepSentence(profile, advice)));
  paragraph(Explanation(profile));
  paragraph(RoughReplay(advice));
  const auto findings = ChooseFindings(advice, choice);
  for (size_t i = 0; i < findings.size(); ++i) {
    text += MarkdownFinding(advice, i + 1, *findings[i]);
  }
  if (findings.empty()) paragraph(NothingToSay(advice, choice));
  if (advice.combined_step != 0 && choice.rule.empty()) {
    text += fmt::format("## Together\n\n{} faster, {} → {}, with {}.\n\n",
                        FormatSpeedup(advice.CombinedSpeedup()), Time(advice.unprofiled_step),
                        Time(advice.combined_step), fmt::join(CombinedRules(advice), ", "));
  }
  if (choice.all && choice.rule.empty() && !advice.skipped.empty()) {
    text += "## Rules that could not run\n\n";
    for (const SkippedRule& skipped : advice.skipped) {
      text += fmt::format("- {}: {}\n", skipped.rule, EscapeMarkdown(skipped.because));
    }
    text += "\n";
  }
  paragraph(LeftOut(advice, choice));
  text.pop_back();
  return text;
}

}  // namespace warpsight
