#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "analysis/accounting/range_summary.h"
#include "analysis/advice/program_kind.h"
#include "analysis/advice/step_work.h"
#include "analysis/text/format.h"
#include "analysis/whatif/what_if.h"
#include "model/profile.h"

namespace warpsight {

class CostModel;
struct MatrixOp;

std::string_view ToString(Confidence confidence);

// One run of an op, a kernel or the like.
struct Instance {
  std::string_view name;
  TimeNs start = 0;
  DurationNs duration = 0;
};

// A piece of evidence for a finding. Ids are rows of the profile's tables, if set.
struct Evidence {
  std::string text;
  DurationNs time_per_step = kMissing;
  int64_t count_per_step = kMissing;
  HostId host = kNone<HostId>;  // an instance
  GpuId gpu = kNone<GpuId>;
  std::optional<Instance> instance = std::nullopt;  // that of the row; rules need not set it
};

// The result of a rule.
struct Finding {
  std::string problem;         // one sentence with numbers
  std::string recommendation;  // what to change, with the code
  std::vector<Evidence> evidence;
  Confidence confidence = Confidence::kMedium;
  std::string assumes;  // assumptions of the prediction
  // The edit of the step; empty for findings without a prediction (trust, no-iterations, ...).
  std::function<void(Scenario&)> edit;
  // If the step gets longer but does more work: the work of one step after the change, in current
  // steps.
  double work = 1;
  // A larger batch may change how a model trains: such advice comes after the rest.
  bool larger_batch = false;
};

// The rule had the data it needs and found nothing.
struct Healthy {};
// The rule could not run: "shapes were not recorded (record_shapes=True)".
struct Skipped {
  std::string because;
};
// Reasons that several rules share.
inline Skipped WithoutGpuWork() { return {"the trace contains no GPU work"}; }
inline Skipped WithoutShapes() { return {"shapes were not recorded (record_shapes=True)"}; }
inline Skipped WithoutPeaks() {
  return {"the peaks of this GPU are unknown: set them with --peaks"};
}
using RuleResult = std::variant<Healthy, Skipped, Finding>;

// The input of rules. Rules run on several threads and only read it.
struct RuleInput {
  ProfileView profile;
  const RangeSummary& range;
  const WhatIf& what_if;
  const CostModel& costs;
  const StepWork& work;
  const std::vector<MatrixOp>& matrix_ops;
  const ProgramKind program;

  // Of one rank.
  DurationNs PerStep(DurationNs total) const { return total / what_if.steps(); }
  // Rounded to the nearest whole number.
  int64_t PerStep(size_t count) const {
    return (static_cast<int64_t>(count) + what_if.steps() / 2) / what_if.steps();
  }
  // A kernel's name as reports print it.
  std::string_view ShortName(StringId kernel) const {
    return profile.trace.Text(
        profile.facts.kernel_names.short_name[profile.facts.KernelRow(kernel)]);
  }
  // Time per step of one rank as text: "12.3 ms".
  std::string TimePerStep(DurationNs total) const {
    return FormatDuration(static_cast<double>(total) / static_cast<double>(what_if.steps()));
  }
};

// One rule. Each file of analysis/rules/ defines one, in rules::<file>::Define(); the build lists
// them (AllRules). docs/rules/<id>.md describes when it fires, how the gain is predicted, and its
// limits.
struct Rule {
  std::string_view id;
  std::string_view title;
  RuleResult (*run)(const RuleInput& input);
  // Ids of rules, separated by blanks, that this rule supersedes because they affect the same
  // kernels. Combined predictions use the better one.
  std::string_view replaces = {};
};

std::vector<Rule> AllRules();

}  // namespace warpsight
