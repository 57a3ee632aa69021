#include "analysis/advice/advise.h"

#include <algorithm>

namespace warpsight {
namespace {

// A change that makes the step longer than today was modelled for a step that is different from
// this one; it is not advice.
RankedFinding Rank(const RuleInput& input, const Rule& rule, Finding& finding) {
  RankedFinding ranked;
  ranked.rule = rule.id;
  ranked.problem = std::move(finding.problem);
  ranked.recommendation = std::move(finding.recommendation);
  ranked.assumes = std::move(finding.assumes);
  ranked.confidence = finding.confidence;
  ranked.evidence = std::move(finding.evidence);
  ranked.predicts = finding.edit != nullptr;
  ranked.predicted_step = input.what_if.step();
  if (!ranked.predicts) return ranked;
  const auto after = static_cast<double>(input.what_if.StepAfter(finding.edit)) / finding.work;
  ranked.predicted_step = static_cast<DurationNs>(after);
  ranked.saving = input.what_if.step() - ranked.predicted_step;
  ranked.speedup = static_cast<double>(input.what_if.step()) / std::max(after, 1.0);
  return ranked;
}

}  // namespace

std::string_view ToString(Confidence confidence) {
  switch (confidence) {
    case Confidence::kLow:
      return "low";
    case Confidence::kMedium:
      return "medium";
    case Confidence::kHigh:
      break;
  }
  return "high";
}

Advice Advise(const Profile& profile, const RangeSummary& range, const CostModel& costs) {
  const WhatIf what_if(profile, range);
  const StepWork work(profile, range);
  const RuleInput input{profile, range, what_if, costs, work};
  Advice advice;
  advice.measured_step = what_if.measured_step();
  advice.replayed_step = what_if.replayed_step();
  advice.unprofiled_step = what_if.step();
  for (const Rule& rule : AllRules()) {
    RuleResult result = rule.run(input);
    if (auto* skipped = std::get_if<Skipped>(&result)) {
      advice.skipped.push_back({rule.id, std::move(skipped->because)});
    } else if (auto* finding = std::get_if<Finding>(&result)) {
      RankedFinding ranked = Rank(input, rule, *finding);
      if (ranked.predicts && ranked.saving <= 0) continue;
      advice.findings.push_back(std::move(ranked));
    }
  }
  std::stable_sort(
      advice.findings.begin(), advice.findings.end(),
      [](const RankedFinding& a, const RankedFinding& b) { return a.saving > b.saving; });
  return advice;
}

}  // namespace warpsight
