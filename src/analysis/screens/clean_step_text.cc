#include "analysis/screens/clean_step_text.h"

#include <fmt/format.h>

#include <optional>

#include "analysis/text/format.h"
#include "base/units.h"

namespace warpsight {
namespace {

std::string Time(DurationNs time) { return FormatDuration(static_cast<double>(time)); }

}  // namespace

std::string CleanStepText(const CleanSteps& steps) {
  if (!steps.clean_step) return steps.missing;
  std::string text =
      fmt::format("{} ({} to {} over {} clean steps)", Time(*steps.clean_step),
                  Time(steps.clean_low), Time(steps.clean_high), FormatCount(steps.clean_steps));
  if (const std::optional<DurationNs> added = steps.Added(); added && *added > 0) {
    text += fmt::format(
        "; recording adds {} ({})", Time(*added),
        FormatShare(static_cast<double>(*added), static_cast<double>(*steps.clean_step)));
  } else if (added) {
    text += "; recording adds nothing that could be measured";
  }
  if (!steps.missing.empty()) text += ". " + steps.missing;
  return text;
}

}  // namespace warpsight
