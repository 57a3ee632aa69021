#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "analysis/accounting/range_summary.h"
#include "cli/app.h"
#include "cli/commands.h"
#include "cli/iteration_flags.h"
#include "cli/output_rules.h"
#include "cli/saved_profile.h"
#include "cli/terminal/console.h"
#include "cli/terminal/progress_bar.h"
#include "profiles/open_profile.h"
#include "store/profile_place.h"

namespace warpsight {
namespace {

struct Options {
  std::vector<std::string> traces;
  std::string output;
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

Result<Profile> ImportAndSave(const Options& options) {
  const auto place = FindProfilePlace(options.output, RulesFor(options.traces, options.force));
  if (!place.ok()) return place.error();
  Progress progress;
  const ProgressBar bar(progress);
  auto profile = ImportProfile(options.traces, options.name, options.iterations, progress);
  if (!profile.ok()) return profile;
  const Status saved = SaveProfile(*profile, *place, progress);
  if (!saved.ok()) return saved.error();
  if (options.timings) PrintTimings(progress);
  return profile;
}

int Run(const Options& options) {
  const auto begin = std::chrono::steady_clock::now();
  auto profile = ImportAndSave(options);
  if (!profile.ok()) return FailOutput(profile.error());
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;

  const RangeSummary range = SummarizeRange(*profile);
  PrintRendered(DescribeSaved(*profile, options.output, seconds.count()));
  Print("{}\n", range.explanation);
  Print("{}: {}\n", Headline(range.verdict), range.verdict_reason);
  PrintRendered(DescribeProblems(*profile, options.output));
  return kExitOk;
}

}  // namespace

void AddImportCommand(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Command command = line.AddCommand("import", "Read traces, analyze them and save a profile");
  command.AddOption("TRACE", options->traces, "Trace files, or folders with traces").Required();
  command.AddOption("-o,--output", options->output, "Profile to write")
      .Type("FILE.warpsight")
      .Required();
  command.AddOption("--profile-name", options->name, "Name of the profile (default: the file's)")
      .Type("TEXT");
  command.AddFlag("--timings", options->timings, "Print how long each phase took");
  AddForceFlag(command, options->force);
  AddIterationFlags(command, options->iterations);
  command.SetRun([options] { return Run(*options); });
}

}  // namespace warpsight
