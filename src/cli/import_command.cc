#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "analysis/accounting/range_summary.h"
#include "analysis/text/wrap_text.h"
#include "base/printable.h"
#include "base/unfinished_folder.h"
#include "cli/app.h"
#include "cli/commands.h"
#include "cli/input_files.h"
#include "cli/iteration_flags.h"
#include "cli/output_rules.h"
#include "cli/saved_profile.h"
#include "cli/terminal/console.h"
#include "cli/terminal/progress_bar.h"
#include "exporters/api/exporter.h"
#include "profiles/open_profile.h"
#include "store/profile_place.h"

namespace warpsight {
namespace {

struct Options {
  std::vector<std::string> traces;
  std::string output;  // empty: named after the profile, a new file
  std::string name;
  IterationOptions iterations;
  bool timings = false;
  bool force = false;
};

// How long each phase took; the last one ends now.
void PrintTimings(const Progress& progress) {
  const auto end = std::chrono::steady_clock::now();
  std::string text;
  for (size_t i = 0; i < progress.phases.size(); ++i) {
    const bool last = i + 1 == progress.phases.size();
    const std::chrono::duration<double> took =
        (last ? end : progress.phases[i + 1].time) - progress.phases[i].time;
    text += fmt::format("{}{} {:.3f} s", text.empty() ? "" : ", ", progress.phases[i].name,
                        took.count());
  }
  Print("{}\n", text);
}

// Whether the current folder can be written to, before any work.
Status CheckCurrentFolder() {
  const auto folder = UnfinishedFolder::CreateIn("");
  if (folder.ok()) return {};
  return Error{fmt::format("cannot save in the current folder: {}; name the profile with -o",
                           folder.error().message)};
}

Result<Profile> ImportAndSave(Options& options) {
  OutputRules rules = RulesFor(options.traces, options.force);
  rules.only_new = options.output.empty();
  Result<OutputPlace> place = Error{};
  if (!rules.only_new) {
    place = FindProfilePlace(options.output, rules);
    if (!place.ok()) return place.error();
  } else if (const Status status = CheckCurrentFolder(); !status.ok()) {
    return status.error();
  }
  Progress progress;
  const ProgressBar bar(progress);
  const auto files = InputFiles::Open(options.traces, progress);
  if (!files.ok()) return files.error();
  auto profile = ImportProfile(files->paths(), options.name, options.iterations, progress);
  if (!profile.ok()) return files->Named(profile.error());
  files->NameIn(profile->trace);
  if (rules.only_new) {
    options.output = NewProfilePath(FileNameOf(profile->trace));
    place = FindProfilePlace(options.output, rules);
    if (!place.ok()) return place.error();
  }
  const Status saved = SaveProfile(*profile, *place, progress);
  if (!saved.ok()) return saved.error();
  if (options.timings) PrintTimings(progress);
  return profile;
}

int Run(Options& options) {
  const auto begin = std::chrono::steady_clock::now();
  auto profile = ImportAndSave(options);
  if (!profile.ok()) return FailOutput(profile.error());
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;

  const RangeSummary range = SummarizeRange(*profile);
  PrintRendered(DescribeSaved(*profile, options.output, seconds.count()));
  const auto print_wrapped = [](const std::string& text) {
    PrintRendered(HangingText("", 0, Printable(text), ListWidth()));
  };
  print_wrapped(range.explanation);
  print_wrapped(fmt::format("{}: {}", Headline(range.verdict), range.verdict_reason));
  PrintRendered(DescribeProblems(*profile, options.output));
  return kExitOk;
}

}  // namespace

void AddImportCommand(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Command command = line.AddCommand("import", "Read traces, analyze them and save a profile");
  command
      .AddOption("TRACE", options->traces,
                 "Trace files, or folders with traces; - is standard input")
      .Files(TraceEndings())
      .Required();
  command
      .AddOption("-o,--output", options->output,
                 "Profile to write (default: named after the input, a new file)")
      .Type("FILE.warpsight")
      .Files({".warpsight"});
  command.AddOption("--profile-name", options->name, "Name of the profile (default: the file's)")
      .Type("TEXT");
  command.AddFlag("--timings", options->timings, "Print how long each phase took");
  AddForceFlag(command, options->force);
  AddIterationFlags(command, options->iterations);
  command.SetFooter(
      "A profile holds the trace and everything derived from it, and opens at once. Several "
      "traces, "
      "or a folder, become one profile of a run of several processes.");
  command.AddExample("warpsight import trace.json.gz", "Keep the analysis, in trace.warpsight");
  command.AddExample("warpsight import traces/ -o job.warpsight",
                     "The traces of all ranks of a job");
  AddInputVariables(command);
  command.SetRun([options] { return Run(*options); });
}

}  // namespace warpsight
