#include "analysis/advice/stored_advice.h"

#include <string>
#include <utility>

namespace warpsight {
namespace {

DurationNs OrNothing(DurationNs time) { return time == kMissing ? 0 : time; }

}  // namespace

void StoreAdvice(const Advice& advice, StringPool& strings, FactTables& facts) {
  AdviceTable steps;
  steps.measured_step.push_back(advice.measured_step);
  steps.replayed_step.push_back(advice.replayed_step);
  steps.unprofiled_step.push_back(advice.unprofiled_step);
  steps.combined_step.push_back(advice.combined_step == 0 ? kMissing : advice.combined_step);

  CriticalPathTable path;
  for (size_t i = 0; advice.Replayed() && i < advice.path.size(); ++i) {
    path.part.push_back(static_cast<PathPart>(i));
    path.time.push_back(advice.path[i]);
  }

  FindingsTable findings;
  FindingEvidenceTable evidence;
  for (size_t i = 0; i < advice.findings.size(); ++i) {
    const RankedFinding& finding = advice.findings[i];
    findings.rule.push_back(strings.Intern(finding.rule));
    findings.problem.push_back(strings.Intern(finding.problem));
    findings.recommendation.push_back(strings.Intern(finding.recommendation));
    findings.assumes.push_back(strings.Intern(finding.assumes));
    findings.confidence.push_back(finding.confidence);
    findings.predicted_step.push_back(finding.predicts ? finding.predicted_step : kMissing);
    findings.saving.push_back(finding.saving);
    findings.speedup.push_back(finding.speedup);
    findings.combined.push_back(finding.combined ? 1 : 0);
    for (const Evidence& item : finding.evidence) {
      evidence.finding.push_back(MakeId<FindingId>(i));
      evidence.text.push_back(strings.Intern(item.text));
      evidence.time_per_step.push_back(item.time_per_step);
      evidence.count_per_step.push_back(item.count_per_step);
      evidence.host.push_back(item.host);
      evidence.gpu.push_back(item.gpu);
    }
  }

  SkippedRulesTable skipped;
  for (const SkippedRule& rule : advice.skipped) {
    skipped.rule.push_back(strings.Intern(rule.rule));
    skipped.because.push_back(strings.Intern(rule.because));
  }

  facts.advice = std::move(steps);
  facts.critical_path = std::move(path);
  facts.findings = std::move(findings);
  facts.finding_evidence = std::move(evidence);
  facts.skipped_rules = std::move(skipped);
}

Advice LoadAdvice(ProfileView profile) {
  const Trace& trace = profile.trace;
  Advice advice;
  const AdviceTable& steps = profile.facts.advice;
  if (!steps.measured_step.empty()) {
    advice.measured_step = OrNothing(steps.measured_step[0]);
    advice.replayed_step = OrNothing(steps.replayed_step[0]);
    advice.unprofiled_step = OrNothing(steps.unprofiled_step[0]);
    advice.combined_step = OrNothing(steps.combined_step[0]);
  }

  const CriticalPathTable& path = profile.facts.critical_path;
  for (size_t i = 0; i < path.part.size(); ++i) {
    advice.path[static_cast<size_t>(path.part[i])] = path.time[i];
  }

  const FindingsTable& findings = profile.facts.findings;
  for (size_t i = 0; i < findings.rule.size(); ++i) {
    RankedFinding& finding = advice.findings.emplace_back();
    finding.rule = trace.Text(findings.rule[i]);
    finding.problem = trace.Text(findings.problem[i]);
    finding.recommendation = trace.Text(findings.recommendation[i]);
    finding.assumes = trace.Text(findings.assumes[i]);
    finding.confidence = findings.confidence[i];
    finding.predicts = findings.predicted_step[i] != kMissing;
    finding.predicted_step = finding.predicts ? findings.predicted_step[i] : advice.unprofiled_step;
    finding.saving = OrNothing(findings.saving[i]);
    finding.speedup = findings.speedup[i];
    finding.combined = findings.combined[i] == 1;
  }
  const FindingEvidenceTable& evidence = profile.facts.finding_evidence;
  for (size_t i = 0; i < evidence.finding.size(); ++i) {
    advice.findings[Index(evidence.finding[i])].evidence.push_back(
        {std::string(trace.Text(evidence.text[i])), evidence.time_per_step[i],
         evidence.count_per_step[i], evidence.host[i], evidence.gpu[i]});
  }

  const SkippedRulesTable& skipped = profile.facts.skipped_rules;
  for (size_t i = 0; i < skipped.rule.size(); ++i) {
    advice.skipped.push_back(
        {trace.Text(skipped.rule[i]), std::string(trace.Text(skipped.because[i]))});
  }
  return advice;
}

}  // namespace warpsight
