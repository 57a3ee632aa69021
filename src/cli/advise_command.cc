#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "analysis/advice/stored_advice.h"
#include "analysis/screens/render_advice.h"
#include "analysis/text/wrap_text.h"
#include "cli/app.h"
#include "cli/color_option.h"
#include "cli/commands.h"
#include "cli/input_files.h"
#include "cli/iteration_flags.h"
#include "cli/open_input.h"
#include "cli/peaks_flag.h"
#include "cli/suggestion.h"
#include "cli/terminal/console.h"
#include "cli/terminal/progress_bar.h"
#include "profiles/open_profile.h"

namespace warpsight {
namespace {

struct Options {
  std::vector<std::string> paths;
  std::string format = "text";
  AdviceChoice choice;
  std::string peaks;
  bool list = false;
  bool brief = false;
  IterationOptions iterations;
  std::string color = "auto";
};

int ListRules() {
  constexpr size_t kNameColumns = 25;
  const size_t width = ListWidth();
  for (const Rule& rule : AllRules()) {
    PrintRendered(HangingText(rule.id, kNameColumns, rule.title, width));
  }
  return kExitOk;
}

std::vector<Term> RuleTerms() {
  std::vector<Term> terms;
  for (const Rule& rule : AllRules()) {
    terms.push_back({std::string(rule.id), std::string(rule.title)});
  }
  return terms;
}

Status CheckRule(const std::string& id) {
  std::vector<std::string> known;
  for (const Rule& rule : AllRules()) known.emplace_back(rule.id);
  if (id.empty() || std::find(known.begin(), known.end(), id) != known.end()) return {};
  const std::string hint = DidYouMean(id, known);
  return Error{
      fmt::format("there is no rule '{}'{}", id,
                  hint.empty() ? fmt::format("; there are: {}", fmt::join(known, ", ")) : hint)};
}

int Run(const Options& options) {
  if (options.list) return ListRules();
  if (options.paths.empty()) return FailUsage("advise: specify a profile or a trace");
  if (const Status status = CheckRule(options.choice.rule); !status.ok()) {
    return FailUsage(status.error().message);
  }
  const auto peaks = ReadPeaksFlag(options.peaks);
  if (!peaks.ok()) return FailUsage(peaks.error().message);
  // JSON refers to rows of events; new peaks require new advice.
  const bool events = options.format == "json" || *peaks;
  auto profile = OpenInput(options.paths, options.iterations,
                           events ? LoadOptions() : LoadOptions::WithoutEvents());
  if (!profile.ok()) return Fail(profile.error().message);
  if (*peaks) {
    const PhaseBar bar("advising");
    ApplyPeaks(*peaks, *profile);
  }
  const Advice advice = LoadAdvice(*profile);
  if (options.format == "json") {
    PrintData(RenderAdviceJson(advice, options.choice));
  } else if (options.format == "md") {
    PrintRendered(RenderAdviceMarkdown(*profile, advice, options.choice));
  } else {
    const auto render = options.brief ? RenderAdviceBrief : RenderAdviceText;
    const TextStyle style = StandardOutputStyle(ReadColorOption(options.color));
    PrintRendered(render(*profile, advice, options.choice, style));
  }
  return kExitOk;
}

}  // namespace

void AddAdviseCommand(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Command command = line.AddCommand("advise", "List what to change and the predicted speedup");
  command.AddOption("PROFILE|TRACE", options->paths, kProfileOrTraces).Files(InputEndings());
  command.AddChoice("--format", options->format, {"text", "json", "md"}, "text, json or md")
      .Type("FORMAT");
  AddColorOption(command, options->color);
  command.AddOption("--rule", options->choice.rule, "Show only the finding of this rule")
      .Type("ID")
      .Choices(RuleTerms());
  command.AddFlag(
      "--all", options->choice.all,
      "Also show findings that save less than 2 % of the step, and why rules could not run");
  command.AddFlag("--brief", options->brief, "Show only rule, prediction and problem, as text");
  command.AddFlag("--list", options->list, "Describe every rule");
  AddIterationFlags(command, options->iterations);
  AddPeaksFlag(command, options->peaks);
  command.SetFooter(
      "Each finding says what to change, how much faster the step gets, and where that was seen. "
      "The "
      "speedup is predicted by replaying the recorded step with the change.");
  command.AddExample("warpsight advise trace.json.gz", "What to change, the largest gain first");
  command.AddExample("warpsight advise run.warpsight --rule host-sync --format md",
                     "One finding, for a report in Markdown");
  AddInputVariables(command);
  command.SetRun([options] { return Run(*options); });
}

}  // namespace warpsight
