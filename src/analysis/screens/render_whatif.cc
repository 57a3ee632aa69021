#include "analysis/screens/render_whatif.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

#include "analysis/reporting/system_info.h"
#include "analysis/screens/render_advice.h"
#include "analysis/text/display_width.h"
#include "analysis/text/format.h"
#include "analysis/text/screen_text.h"
#include "base/json_text.h"

namespace warpsight {
namespace {

// Smaller changes do not count: the replay is steady to a thousandth.
constexpr double kNoChange = 0.001;
constexpr size_t kEditWidth = 30;
constexpr size_t kPartWidth = 20;
constexpr size_t kNarrowPartWidth = 16;
constexpr size_t kTimeWidth = 10;
constexpr size_t kShareWidth = 9;
constexpr size_t kBarWidth = 12;
// Narrower pages have no bars.
constexpr size_t kWidthForBars = 76;

std::string Time(DurationNs time) { return FormatDuration(static_cast<double>(time)); }

DurationNs Sum(const Replay& replay) {
  return std::accumulate(replay.path.begin(), replay.path.end(), DurationNs{0});
}

double ShareOf(const Replay& replay, PathPart part) {
  const DurationNs sum = Sum(replay);
  return sum == 0 ? 0
                  : static_cast<double>(replay.path[static_cast<size_t>(part)]) /
                        static_cast<double>(sum);
}

double ReplayError(const WhatIfAnswer& answer) {
  if (answer.measured_step <= 0) return 0;
  return static_cast<double>(answer.replayed_step) / static_cast<double>(answer.measured_step) - 1;
}

// What it means if most of the critical path is of this kind.
std::string_view Meaning(PathPart part) {
  switch (part) {
    case PathPart::kKernels:
      return "the GPU computes; only faster, fewer or concurrent kernels help";
    case PathPart::kCopies:
      return "memory copies; pin memory, overlap them with kernels, or copy less";
    case PathPart::kCpu:
      return "the framework, Python or the data loader between CUDA calls";
    case PathPart::kCalls:
      return "CUDA calls on the CPU; make fewer of them";
    case PathPart::kLaunchDelay:
      return "delays from a launch to its start on the GPU, and pauses without a recorded launch; "
             "launch earlier, or fewer kernels";
    case PathPart::kWaiting:
      break;
  }
  return "returning from waits for the GPU; synchronize less often";
}

std::string Bottleneck(const Replay& replay) {
  const PathPart part = replay.Bottleneck();
  return fmt::format("{}, {} of the critical path: {}", ToString(part),
                     FormatShare(ShareOf(replay, part), 1), Meaning(part));
}

std::string Gain(const WhatIfAnswer& answer) {
  const double change = answer.Speedup() - 1;
  if (std::abs(change) < kNoChange) return "no change: other work is on the critical path";
  return change > 0 ? fmt::format("{} faster · saves {} per step", FormatSpeedup(answer.Speedup()),
                                  Time(answer.Saving()))
                    : fmt::format("{} slower · costs {} per step",
                                  FormatSpeedup(1 / answer.Speedup()), Time(-answer.Saving()));
}

// A row of the table of the critical path; the columns of the prediction may be empty.
std::string PathRow(std::string_view part, std::string_view before, std::string_view before_share,
                    std::string_view after, std::string_view after_share, std::string_view bar,
                    const Page& page) {
  const bool bars = page.width() >= kWidthForBars;
  return Fit(part, bars ? kPartWidth : kNarrowPartWidth) + Fit(before, kTimeWidth, Align::kRight) +
         Fit(before_share, kShareWidth, Align::kRight) +
         (after.empty() ? "" : Fit(after, kTimeWidth + 4, Align::kRight)) +
         (after.empty() ? "" : Fit(after_share, kShareWidth, Align::kRight)) +
         (bars ? "  " + std::string(bar) : "");
}

void PrintPath(const WhatIfAnswer& answer, Page& page) {
  const bool edited = !answer.effects.empty();
  page.Gap();
  page.Label("Critical path");
  page.Line(Inked(PathRow("per step", "now", "", edited ? "then" : "", "", "", page), Ink::kDim,
                  page.style()));
  for (size_t i = 0; i < kPathPartCount; ++i) {
    const auto part = static_cast<PathPart>(i);
    if (answer.before.path[i] == 0 && answer.after.path[i] == 0) continue;
    const double share = ShareOf(answer.after, part);
    page.Line(PathRow(ToString(part), Time(answer.before.path[i]),
                      FormatShare(ShareOf(answer.before, part), 1),
                      edited ? Time(answer.after.path[i]) : "", FormatShare(share, 1),
                      Inked(Bar(share, kBarWidth), Ink::kBlue, page.style()), page));
  }
}

}  // namespace

std::string JsonPath(const std::array<DurationNs, kPathPartCount>& path) {
  std::string text = "{";
  for (size_t i = 0; i < path.size(); ++i) {
    text += fmt::format("{}{}: {}", i == 0 ? "" : ", ",
                        JsonString(ToString(static_cast<PathPart>(i))), path[i]);
  }
  return text + "}";
}

WhatIfAnswer Answer(const Scenario& scenario, Recording recording,
                    std::vector<EditEffect> effects) {
  const WhatIf& base = scenario.base();
  WhatIfAnswer answer;
  answer.measured_step = base.measured_step();
  answer.replayed_step = base.replayed_step();
  answer.without_profiler = recording == Recording::kWithoutProfiler;
  answer.steps = base.steps();
  answer.effects = std::move(effects);
  answer.before = base.CurrentReplay();
  answer.after = scenario.Run();
  return answer;
}

std::string RenderWhatIfText(ProfileView profile, const WhatIfAnswer& answer,
                             const TextStyle& style) {
  Page page(style);
  page.Title(profile.trace.profile_name, DescribeUsedDevices(profile));
  page.Gap();
  page.Label("What if");
  for (const EditEffect& effect : answer.effects) {
    const std::string what =
        fmt::format("{}: {}, {} per step", effect.what, FormatCount(effect.count / answer.steps),
                    Time(effect.time / answer.steps));
    const std::string aligned = fmt::format("{}  {}", Fit(effect.edit, kEditWidth), what);
    if (DisplayWidth(aligned) <= page.width()) {
      page.Line(aligned);
    } else {
      page.Paragraph(fmt::format("{}: {}", effect.edit, what));
    }
  }
  if (answer.effects.empty()) page.Line("no edits; warpsight whatif --help lists them");
  page.Gap();
  page.Label("Step");
  page.Paragraph(fmt::format("{} measured · {} replayed ({:+.1f} %)", Time(answer.measured_step),
                             Time(answer.replayed_step), 100 * ReplayError(answer)));
  page.Paragraph(fmt::format(
      "{} {}", Time(answer.before.step),
      answer.without_profiler ? "without the profiler" : "in steady state, with the profiler"));
  if (!answer.effects.empty()) {
    page.Label("Then");
    page.Paragraph(Time(answer.after.step) + " · " + Gain(answer), Ink::kGreen);
  }
  PrintPath(answer, page);
  page.Gap();
  page.Label("Bottleneck");
  const bool same = answer.before.Bottleneck() == answer.after.Bottleneck();
  if (!same) page.Paragraph("now " + Bottleneck(answer.before));
  page.Paragraph((same ? "" : "then ") + Bottleneck(answer.after));
  return page.Take();
}

std::string RenderWhatIfJson(const WhatIfAnswer& answer) {
  std::string text = fmt::format(
      "{{\n  \"step_ns\": {},\n  \"replay_step_ns\": {},\n  \"without_profiler\": {},\n"
      "  \"current_step_ns\": {},\n  \"predicted_step_ns\": {},\n  \"predicted_speedup\": {:.4f},\n"
      "  \"saving_ns\": {},\n  \"edits\": [",
      answer.measured_step, answer.replayed_step, answer.without_profiler, answer.before.step,
      answer.after.step, answer.Speedup(), answer.Saving());
  for (size_t i = 0; i < answer.effects.size(); ++i) {
    const EditEffect& effect = answer.effects[i];
    text += fmt::format(
        R"({}    {{"edit": {}, "what": {}, "count_per_step": {}, "time_ns_per_step": {}}})",
        i == 0 ? "\n" : ",\n", JsonString(effect.edit), JsonString(effect.what),
        effect.count / answer.steps, effect.time / answer.steps);
  }
  return text + fmt::format(
                    "{}],\n  \"critical_path_ns\": {{\n    \"current\": {},\n"
                    "    \"predicted\": {}}},\n  \"current_bottleneck\": {},\n"
                    "  \"predicted_bottleneck\": {}\n}}\n",
                    answer.effects.empty() ? "" : "\n  ", JsonPath(answer.before.path),
                    JsonPath(answer.after.path), JsonString(ToString(answer.before.Bottleneck())),
                    JsonString(ToString(answer.after.Bottleneck())));
}

}  // namespace warpsight
