#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/screens/render_advice.h"
#include "base/json_builder.h"
#include "base/json_text.h"
#include "mcp/tools/quoted.h"
#include "mcp/tools/sources.h"
#include "mcp/tools/step_facts.h"
#include "mcp/tools/tools.h"

namespace warpsight::mcp {
namespace {

constexpr int64_t kDefaultFindings = 5;
constexpr int64_t kMostFindings = 50;
constexpr size_t kMostEvidence = 5;

// Our own words for a rule. The rules of a profile are texts that anyone can have written.
std::string_view TitleOf(std::string_view rule) {
  const std::vector<Rule> rules = AllRules();
  const auto known =
      std::find_if(rules.begin(), rules.end(), [rule](const Rule& r) { return r.id == rule; });
  return known == rules.end() ? "" : known->title;
}

double RoundSpeedup(double speedup) { return std::round(speedup * 1e4) / 1e4; }

std::string Evidences(const RankedFinding& finding) {
  JsonArray list;
  for (size_t i = 0; i < std::min(finding.evidence.size(), kMostEvidence); ++i) {
    const Evidence& evidence = finding.evidence[i];
    list.Json(JsonObject()
                  .Text("text", ShortSentence(evidence.text))
                  .Integer("time_ns_per_step", evidence.time_per_step)
                  .Integer("count_per_step", evidence.count_per_step)
                  .Take());
  }
  return list.Take();
}

JsonObject Describe(const RankedFinding& finding, int64_t rank) {
  const std::string_view title = TitleOf(finding.rule);
  JsonObject object;
  object.Integer("rank", rank)
      .Text("rule", ShortName(finding.rule))
      .Text("title", title)
      .Real("speedup", finding.predicts ? RoundSpeedup(finding.speedup)
                                        : std::numeric_limits<double>::quiet_NaN())
      .Integer("predicted_step_ns", finding.predicts ? finding.predicted_step : kMissing)
      .Integer("saving_ns", finding.predicts ? finding.saving : kMissing)
      .Text("confidence", ToString(finding.confidence))
      .Text("problem", ShortSentence(finding.problem))
      .Text("recommendation", ShortSentence(finding.recommendation))
      .Text("assumes", ShortSentence(finding.assumes))
      .Json("evidence", Evidences(finding));
  if (!title.empty()) object.Text("documentation", fmt::format("docs/rules/{}.md", finding.rule));
  return object;
}

std::string InText(const RankedFinding& finding, int64_t rank, const Advice& advice) {
  const std::string_view title = TitleOf(finding.rule);
  std::string text = fmt::format("{}. {}: ", rank,
                                 title.empty() ? Quoted(finding.rule) : std::string(finding.rule));
  if (finding.predicts) {
    text += fmt::format("{} faster, {} → {} (confidence {})\n", FormatSpeedup(finding.speedup),
                        TimeText(advice.unprofiled_step), TimeText(finding.predicted_step),
                        ToString(finding.confidence));
  } else {
    text += "no gain predicted\n";
  }
  return text + fmt::format("   problem: {}\n   recommendation: {}\n",
                            JsonString(ShortSentence(finding.problem)),
                            JsonString(ShortSentence(finding.recommendation)));
}

class Findings {
 public:
  Findings(const OpenedProfile& opened, const AdviceChoice& choice, size_t limit)
      : advice_(opened.advice()), findings_(ChooseFindings(advice_, choice)) {
    total_ = findings_.size();
    findings_.resize(std::min(findings_.size(), limit));
    content_.Text("profile", opened.id());
    Step();
    List();
    Total(choice);
    if (choice.all || !choice.rule.empty()) Skipped(choice);
  }

  Answer Take() { return {text_, content_.Json("sources", sources_.Json()).Take()}; }

 private:
  static int64_t Known(DurationNs time) { return time > 0 ? time : kMissing; }

  void Step() {
    content_.Json("step", JsonObject()
                              .Integer("measured_ns", Known(advice_.measured_step))
                              .Integer("replayed_ns", Known(advice_.replayed_step))
                              .Integer("unprofiled_ns", Known(advice_.unprofiled_step))
                              .Integer("combined_ns", Known(advice_.combined_step))
                              .Take());
    sources_.Sql(
        "step",
        "SELECT nullif(measured_step_ns, 0) AS measured_ns, nullif(replayed_step_ns, 0) AS "
        "replayed_ns, nullif(unprofiled_step_ns, 0) AS unprofiled_ns, combined_step_ns AS "
        "combined_ns FROM advice");
    if (advice_.Replayed()) {
      text_ += fmt::format("Step: {} measured, about {} without the profiler\n",
                           TimeText(advice_.measured_step), TimeText(advice_.unprofiled_step));
    }
  }

  void List() {
    JsonArray list;
    std::string ranks;
    for (size_t i = 0; i < findings_.size(); ++i) {
      const int64_t row = findings_[i] - advice_.findings.data();
      list.Json(Describe(*findings_[i], row + 1).Take());
      text_ += InText(*findings_[i], row + 1, advice_);
      ranks += fmt::format("{}{}", ranks.empty() ? "" : ", ", row + 1);
      if (findings_[i]->evidence.empty()) continue;
      sources_.Sql(fmt::format("findings[{}].evidence", i),
                   fmt::format("SELECT s.text, e.time_ns_per_step, e.count_per_step FROM "
                               "finding_evidence e LEFT JOIN strings s ON s.id = e.text_id WHERE "
                               "e.finding_id = {} ORDER BY e.rowid LIMIT {}",
                               row, kMostEvidence));
    }
    content_.Json("findings", list.Take());
    if (findings_.empty()) {
      text_ += "No rule found a change that would shorten the step notably.\n";
      return;
    }
    sources_.Sql("findings",
                 fmt::format("SELECT rank, rule, CASE WHEN predicted_step_ns IS NOT NULL THEN "
                             "round(speedup, 4) END AS speedup, predicted_step_ns, CASE WHEN "
                             "predicted_step_ns IS NOT NULL THEN saving_ns END AS saving_ns, "
                             "confidence, problem, recommendation, assumes FROM recommendations "
                             "WHERE rank IN ({}) ORDER BY rank",
                             ranks));
  }

  void Total(const AdviceChoice& choice) {
    content_.Json("total",
                  JsonObject()
                      .Integer("findings", static_cast<int64_t>(advice_.findings.size()))
                      .Integer("skipped_rules", static_cast<int64_t>(advice_.skipped.size()))
                      .Take());
    sources_.Sql("total",
                 "SELECT (SELECT count(*) FROM findings) AS findings, (SELECT count(*) FROM "
                 "skipped_rules) AS skipped_rules");
    if (total_ > findings_.size()) {
      text_ += fmt::format("{} more: raise limit.\n", total_ - findings_.size());
    }
    const size_t small = advice_.findings.size() - total_;
    if (choice.rule.empty() && !choice.all && small > 0) {
      text_ += fmt::format("{} smaller: call with all = true.\n", small);
    }
  }

  // Rules that could not run, and why.
  void Skipped(const AdviceChoice& choice) {
    JsonArray list;
    for (const SkippedRule& skipped : advice_.skipped) {
      if (!choice.rule.empty() && skipped.rule != choice.rule) continue;
      list.Json(JsonObject()
                    .Text("rule", ShortName(skipped.rule))
                    .Text("because", ShortSentence(skipped.because))
                    .Take());
      text_ += fmt::format("Could not run: {}, because {}\n", Quoted(skipped.rule),
                           JsonString(ShortSentence(skipped.because)));
    }
    content_.Json("skipped", list.Take());
  }

  const Advice& advice_;
  std::vector<const RankedFinding*> findings_;
  size_t total_ = 0;
  JsonObject content_;
  Sources sources_;
  std::string text_;
};

}  // namespace

Tool FindingsTool(const Profiles& profiles) {
  return {"findings",
          "List what to change",
          "What to change, ranked by the predicted gain: problem, recommendation, predicted step "
          "time, confidence and evidence. Predictions replay the recorded step with the change "
          "applied.",
          {ProfileParameter(),
           {"rule", Parameter::Type::kText, "only the finding of this rule, such as cuda-graphs"},
           {"all", Parameter::Type::kYesNo,
            "also findings that save less than 2 % of the step, and rules that could not run"},
           {"limit", Parameter::Type::kInteger, "how many findings, 5 if not given", false, 1,
            kMostFindings}},
          [profiles](const Arguments& arguments, Progress& /*progress*/) -> Result<Answer> {
            const auto opened = profiles->Find(arguments.Text("profile"));
            if (!opened.ok()) return opened.error();
            AdviceChoice choice;
            choice.rule = arguments.Text("rule");
            choice.all = arguments.YesNo("all");
            if (!choice.rule.empty() && TitleOf(choice.rule).empty()) {
              std::string known;
              for (const Rule& rule : AllRules()) known += fmt::format(" {}", rule.id);
              return Error{
                  fmt::format("there is no rule {}; there are:{}", Quoted(choice.rule), known)};
            }
            const auto limit = static_cast<size_t>(arguments.Integer("limit", kDefaultFindings));
            return Findings(**opened, choice, limit).Take();
          }};
}

}  // namespace warpsight::mcp
