#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/advice/stored_advice.h"
#include "analysis/screens/render_advice.h"
#include "cli/app.h"
#include "cli/commands.h"
#include "cli/iteration_flags.h"
#include "cli/open_input.h"
#include "cli/peaks_flag.h"
#include "cli/terminal/console.h"
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
};

int ListRules() {
  for (const Rule& rule : AllRules()) Print("{:<24} {}\n", rule.id, rule.title);
  return kExitOk;
}

Status CheckRule(const std::string& id) {
  std::vector<std::string_view> known;
  for (const Rule& rule : AllRules()) known.push_back(rule.id);
  if (id.empty() || std::find(known.begin(), known.end(), id) != known.end()) return {};
  return Error{fmt::format("there is no rule '{}'; there are: {}", id, fmt::join(known, ", "))};
}

int Run(const Options& options) {
  if (options.list) return ListRules();
  if (options.paths.empty()) return FailUsage("advise: specify a profile or a trace");
  const bool known = options.format == "text" || options.format == "json" || options.format == "md";
  if (!known) {
    return FailUsage(fmt::format("--format: '{}' is not one of text, json, md", options.format));
  }
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
  ApplyPeaks(*peaks, *profile);
  const Advice advice = LoadAdvice(*profile);
  if (options.format == "json") {
    PrintData(RenderAdviceJson(advice, options.choice));
  } else if (options.format == "md") {
    PrintRendered(RenderAdviceMarkdown(*profile, advice, options.choice));
  } else {
    const auto render = options.brief ? RenderAdviceBrief : RenderAdviceText;
    PrintRendered(render(*profile, advice, options.choice, StandardOutputStyle()));
  }
  return kExitOk;
}

}  // namespace

void AddAdviseCommand(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Command command = line.AddCommand("advise", "List what to change and the predicted speedup");
  command.AddOption("PROFILE|TRACE", options->paths, "A saved profile, or trace files or folders");
  command.AddOption("--format", options->format, "text, json or md").Type("FORMAT");
  command.AddOption("--rule", options->choice.rule, "Show only the finding of this rule")
      .Type("ID");
  command.AddFlag(
      "--all", options->choice.all,
      "Also show findings that save less than 2 % of the step, and why rules could not run");
  command.AddFlag("--brief", options->brief, "Show only rule, prediction and problem, as text");
  command.AddFlag("--list", options->list, "Describe every rule");
  AddIterationFlags(command, options->iterations);
  AddPeaksFlag(command, options->peaks);
  command.SetRun([options] { return Run(*options); });
}

}  // namespace warpsight
