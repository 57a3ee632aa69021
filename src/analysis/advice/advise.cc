#include "analysis/advice/advise.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>
#include <variant>

#include "analysis/advice/matrix_ops.h"

namespace warpsight {
namespace {

// A finding with its edit, which is not stored.
struct Candidate {
  RankedFinding ranked;
  std::function<void(Scenario&)> edit;
  double work = 1;
  bool larger_batch = false;
  std::string_view replaces;
};

std::optional<Instance> InstanceOf(const Trace& trace, const Evidence& evidence) {
  const auto row = [&](const auto& table, size_t i) {
    return Instance{trace.Text(table.name[i]), table.start[i], table.duration[i]};
  };
  if (IsSet(evidence.gpu)) return row(trace.tables.gpu, Index(evidence.gpu));
  if (IsSet(evidence.host)) return row(trace.tables.host, Index(evidence.host));
  return {};
}

// Without iterations, the whole recording would count as a step, with its start-up: then the time
// that could be saved in it is known, but no speed-up.
Candidate Rank(const RuleInput& input, const Rule& rule, Finding& finding) {
  const WhatIf& what_if = input.what_if;
  Candidate candidate;
  RankedFinding& ranked = candidate.ranked;
  ranked.rule = rule.id;
  ranked.problem = std::move(finding.problem);
  ranked.recommendation = std::move(finding.recommendation);
  ranked.assumes = std::move(finding.assumes);
  ranked.confidence = finding.confidence;
  ranked.evidence = std::move(finding.evidence);
  ranked.predicts = finding.edit != nullptr;
  ranked.predicted_step = what_if.step();
  candidate.edit = std::move(finding.edit);
  candidate.work = finding.work;
  candidate.larger_batch = finding.larger_batch;
  candidate.replaces = rule.replaces;
  if (!ranked.predicts) return candidate;
  const double after = static_cast<double>(what_if.StepAfter(candidate.edit)) / candidate.work;
  ranked.predicted_step = std::llround(after);
  ranked.saving = what_if.step() - ranked.predicted_step;
  if (input.range.source == IterationSource::kNone) {
    ranked.predicts = false;
    ranked.predicted_step = what_if.step();
    return candidate;
  }
  ranked.speedup = static_cast<double>(what_if.step()) / std::max(after, 1.0);
  return candidate;
}

bool Names(std::string_view ids, std::string_view id) {
  while (!ids.empty()) {
    const size_t end = std::min(ids.find(' '), ids.size());
    if (ids.substr(0, end) == id) return true;
    ids.remove_prefix(std::min(end + 1, ids.size()));
  }
  return false;
}

bool Exclude(const Candidate& a, const Candidate& b) {
  return Names(a.replaces, b.ranked.rule) || Names(b.replaces, a.ranked.rule);
}

// Applies the changes one after the other, best first, and keeps and marks those that save
// additional time. Returns the step, or 0 if fewer than two were kept.
DurationNs Combine(const WhatIf& what_if, const Advice& advice,
                   std::vector<Candidate>& candidates) {
  std::vector<const Candidate*> kept;
  Scenario scenario = what_if.Edit();
  auto step = static_cast<double>(what_if.step());
  double work = 1;
  for (Candidate& candidate : candidates) {
    if (!candidate.ranked.predicts || !advice.IsShownByDefault(candidate.ranked)) continue;
    const bool excluded = std::any_of(kept.begin(), kept.end(), [&](const Candidate* other) {
      return Exclude(candidate, *other);
    });
    if (excluded) continue;
    candidate.edit(scenario);
    const double after = static_cast<double>(scenario.Step()) / (work * candidate.work);
    if (after >= step) {
      scenario.Reset();
      for (const Candidate* other : kept) other->edit(scenario);
      continue;
    }
    step = after;
    work *= candidate.work;
    candidate.ranked.combined = true;
    kept.push_back(&candidate);
  }
  if (kept.size() >= 2) return std::llround(step);
  for (Candidate& candidate : candidates) candidate.ranked.combined = false;
  return 0;
}

// The result of one rule: a candidate, a reason why it could not run, or neither.
struct Outcome {
  std::optional<Candidate> candidate;
  std::optional<std::string> skipped;
};

Outcome RunRule(const RuleInput& input, const Rule& rule) {
  RuleResult result = rule.run(input);
  if (auto* skipped = std::get_if<Skipped>(&result)) return {{}, std::move(skipped->because)};
  auto* finding = std::get_if<Finding>(&result);
  if (finding == nullptr) return {};
  if (finding->edit != nullptr && input.what_if.empty()) {
    return {{}, "the iterations of the trace contain no GPU work"};
  }
  const bool saves = finding->edit != nullptr;
  Candidate candidate = Rank(input, rule, *finding);
  // If a change makes the step longer than it is, its model does not fit this step, so it is not
  // advice.
  if (saves && candidate.ranked.saving <= 0) return {};
  return {std::move(candidate), {}};
}

// Runs every rule, on all cores. Rules that could not run are added to the advice.
std::vector<Candidate> RunRules(const RuleInput& input, Advice& advice) {
  const std::vector<Rule> rules = AllRules();
  std::vector<Outcome> outcomes(rules.size());
  tbb::parallel_for(size_t{0}, rules.size(),
                    [&](size_t i) { outcomes[i] = RunRule(input, rules[i]); });
  std::vector<Candidate> candidates;
  for (size_t i = 0; i < rules.size(); ++i) {
    if (outcomes[i].skipped) {
      advice.skipped.push_back({rules[i].id, std::move(*outcomes[i].skipped)});
    }
    if (outcomes[i].candidate) candidates.push_back(std::move(*outcomes[i].candidate));
  }
  // Changes of the batch size come last, since they change the training itself.
  const auto rank = [](const Candidate& candidate) {
    const int kind = !candidate.ranked.predicts ? 0 : candidate.larger_batch ? 1 : 2;
    return std::pair(kind, candidate.ranked.saving);
  };
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](const Candidate& a, const Candidate& b) { return rank(a) > rank(b); });
  return candidates;
}

// A finding of low confidence must not come first if there is a more certain one.
void PutCertainFindingFirst(const Advice& advice, std::vector<Candidate>& candidates) {
  const auto leads = [&](const Candidate& candidate) {
    return candidate.ranked.predicts && !candidate.larger_batch && !IsUncertain(candidate.ranked) &&
           advice.IsShownByDefault(candidate.ranked);
  };
  const auto first = std::ranges::find_if(candidates, leads);
  if (first != candidates.end()) std::rotate(candidates.begin(), first, first + 1);
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

Advice Advise(ProfileView profile, const RangeSummary& range, const CostModel& costs) {
  const WhatIf what_if(profile, range);
  const StepWork work(profile, range);
  const std::vector<MatrixOp> matrix_ops = FindMatrixOps(profile, work, costs);
  const RuleInput input{profile, range, what_if, costs, work, matrix_ops, KindOfProgram(profile)};
  Advice advice;
  advice.measured_step = what_if.measured_step();
  advice.replayed_step = what_if.replayed_step();
  advice.unprofiled_step = what_if.step();
  advice.path = what_if.CurrentReplay().path;
  std::vector<Candidate> candidates = RunRules(input, advice);
  PutCertainFindingFirst(advice, candidates);
  advice.combined_step = Combine(what_if, advice, candidates);
  for (Candidate& candidate : candidates) {
    for (Evidence& evidence : candidate.ranked.evidence) {
      evidence.instance = InstanceOf(profile.trace, evidence);
    }
    advice.findings.push_back(std::move(candidate.ranked));
  }
  return advice;
}

}  // namespace warpsight
