#include <string>

#include "analysis/advice/stored_advice.h"
#include "analysis/reporting/report.h"
#include "analysis/screens/render_advice.h"

namespace warpsight::reports::expert_systems {

Report Define();

namespace {

void Compute(const ReportInput& input, RowSink& sink) {
  const Advice advice = LoadAdvice(input.profile);
  const auto findings = ChooseFindings(advice, {});
  for (const RankedFinding* finding : findings) {
    Cell cells[] = {finding->problem,
                    finding->recommendation,
                    finding->rule,
                    {},
                    {},
                    {},
                    ToString(finding->confidence)};
    if (finding->predicts) {
      cells[3] = finding->speedup;
      cells[4] = finding->predicted_step;
      cells[5] = finding->saving;
    }
    sink.Row(cells);
    sink.Link(FirstEvidence(*finding));
  }
  if (findings.empty()) {
    sink.Note(advice.Replayed() ? "No rule found a change that saves at least 2 % of the step."
                                : "The analyzed steps contain no GPU work for predictions.");
  }
}

std::string Text(const ReportInput& input, const TextStyle& style) {
  return RenderAdviceText(input.profile, LoadAdvice(input.profile), {}, style);
}

}  // namespace

Report Define() {
  return {"expert_systems",
          "Expert Systems",
          "problems that rules found, what to change, and the predicted gain (DLProf)",
          {{"Problem", ColumnType::kText, "what is wrong, with numbers; derived"},
           {"Recommendation", ColumnType::kText, "what to change"},
           {"Rule", ColumnType::kText, "rule that reported it: docs/rules/<rule>.md"},
           {"Predicted Speedup", ColumnType::kReal,
            "step without the profiler / predicted step; estimated by replay"},
           {"Predicted Step (ns)", ColumnType::kDurationNs,
            "step after the change, without the profiler; estimated by replay"},
           {"Saving (ns)", ColumnType::kDurationNs,
            "step without the profiler - predicted step; estimated by replay"},
           {"Confidence", ColumnType::kText, "how reliable the prediction is"}},
          Compute,
          Text};
}

}  // namespace warpsight::reports::expert_systems
