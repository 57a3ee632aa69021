#include "analysis/accounting/range_clean_steps.h"

#include <cmath>
#include <cstddef>

namespace warpsight {
namespace {

// A recorded step that differs from the average iteration by more than this factor is another unit.
// Our choice: the steps of a program differ by less, and units by at least 2.
constexpr double kSameUnit = 1.5;

bool IsSameUnit(DurationNs a, DurationNs b) {
  const auto x = static_cast<double>(a);
  const auto y = static_cast<double>(b);
  return x <= kSameUnit * y && y <= kSameUnit * x;
}

}  // namespace

CleanSteps CleanStepsOf(const Trace& trace, const RangeSummary& range) {
  if (!range.ranks.empty()) {
    CleanSteps steps = FindCleanSteps(trace, range.SlowestRank().source);
    if (steps.Known()) return steps;
  }
  for (size_t s = 0; s < RowCount(trace.tables.sources); ++s) {
    CleanSteps steps = FindCleanSteps(trace, MakeId<SourceId>(s));
    if (steps.Known()) return steps;
  }
  return {};
}

std::optional<DurationNs> MeasuredCleanStep(const Trace& trace, const RangeSummary& range) {
  const CleanSteps steps = CleanStepsOf(trace, range);
  if (!steps.clean_step || *steps.clean_step <= 0 || steps.VariesTooMuch()) return std::nullopt;
  if (IsSameUnit(steps.recorded_step.value_or(*steps.clean_step), range.average_iteration)) {
    return steps.clean_step;
  }
  if (!steps.recorded_step || *steps.recorded_step <= 0) return std::nullopt;
  return std::llround(static_cast<double>(range.average_iteration) *
                      static_cast<double>(*steps.clean_step) /
                      static_cast<double>(*steps.recorded_step));
}

}  // namespace warpsight
