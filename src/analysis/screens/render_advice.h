#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/advice/advise.h"
#include "analysis/reporting/report.h"
#include "analysis/text/screen_text.h"

namespace warpsight {

// The part of the advice to print.
struct AdviceChoice {
  std::string rule;  // only this rule, however small its saving; empty: all above the threshold
  bool all = false;  // includes findings below the threshold, and why rules could not run
};

// The chosen findings, best first.
std::vector<const RankedFinding*> ChooseFindings(const Advice& advice, const AdviceChoice& choice);

// The first instance in its evidence; empty if there is none.
RowLink FirstEvidence(const RankedFinding& finding);

// "1.25x", "12.3x"
std::string FormatSpeedup(double speedup);

// A warning if the replay differs from the measured step, so that predictions are rough; otherwise
// empty.
std::string RoughReplay(const Advice& advice);

// Two lines for each finding: rank, rule and prediction, and the problem as far as it fits.
void PrintBriefly(const Advice& advice, const std::vector<const RankedFinding*>& findings,
                  Page& page);

// For a terminal: the step and the findings in brief.
std::string RenderAdviceBrief(ProfileView profile, const Advice& advice, const AdviceChoice& choice,
                              const TextStyle& style);
// For a terminal: each finding with its problem, change, evidence and assumptions.
std::string RenderAdviceText(ProfileView profile, const Advice& advice, const AdviceChoice& choice,
                             const TextStyle& style);
// One object; docs/advice.md describes its fields.
std::string RenderAdviceJson(const Advice& advice, const AdviceChoice& choice);
std::string RenderAdviceMarkdown(ProfileView profile, const Advice& advice,
                                 const AdviceChoice& choice);

}  // namespace warpsight
