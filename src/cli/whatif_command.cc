#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/screens/render_whatif.h"
#include "cli/app.h"
#include "cli/color_option.h"
#include "cli/commands.h"
#include "cli/input_files.h"
#include "cli/iteration_flags.h"
#include "cli/open_input.h"
#include "cli/terminal/console.h"
#include "cli/terminal/progress_bar.h"

namespace warpsight {
namespace {

struct Options {
  std::vector<std::string> paths;
  std::vector<std::string> scale;
  std::vector<std::string> remove;
  WhatIfEdits edits;
  bool keep_profiler = false;
  std::string format = "text";
  IterationOptions iterations;
  std::string color = "auto";
};

Status AddEdits(std::string_view flag, const std::vector<std::string>& texts,
                Result<NamedEdit> (*parse)(std::string_view), WhatIfEdits& edits) {
  for (const std::string& text : texts) {
    auto edit = parse(text);
    if (!edit.ok()) return Error{fmt::format("{}: {}", flag, edit.error().message)};
    edits.named.push_back(std::move(*edit));
  }
  return {};
}

Result<WhatIfEdits> ParseEdits(const Options& options) {
  WhatIfEdits edits = options.edits;
  Status status = AddEdits("--scale", options.scale, ParseScale, edits);
  if (status.ok()) status = AddEdits("--remove", options.remove, ParseRemove, edits);
  if (!status.ok()) return status.error();
  return edits;
}

int Run(const Options& options) {
  const auto edits = ParseEdits(options);
  if (!edits.ok()) return FailUsage(edits.error().message);
  const auto profile = OpenInput(options.paths, options.iterations);
  if (!profile.ok()) return Fail(profile.error().message);
  const RangeSummary range = SummarizeRange(*profile);
  const Recording recording =
      options.keep_profiler ? Recording::kAsRecorded : Recording::kWithoutProfiler;
  std::optional<PhaseBar> bar("replaying");
  const WhatIf what_if(*profile, range, recording);
  if (what_if.empty()) {
    bar.reset();
    return Fail(fmt::format("{}: the analyzed steps contain no GPU work to replay",
                            NameOfInput(options.paths.front())));
  }
  Scenario scenario = what_if.Edit();
  auto effects = ApplyEdits(*edits, range, scenario);
  if (!effects.ok()) {
    bar.reset();
    return Fail(effects.error().message);
  }
  const WhatIfAnswer answer = Answer(scenario, recording, std::move(*effects));
  bar.reset();
  if (options.format == "json") {
    PrintData(RenderWhatIfJson(answer));
  } else {
    const TextStyle style = StandardOutputStyle(ReadColorOption(options.color));
    PrintRendered(RenderWhatIfText(*profile, answer, style));
  }
  return kExitOk;
}

}  // namespace

void AddWhatIfCommand(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Command command =
      line.AddCommand("whatif", "Predict the step time with something faster or removed");
  command.AddOption("PROFILE|TRACE", options->paths, kProfileOrTraces)
      .Files(InputEndings())
      .Required();
  // Every --scale takes one value, so that the profile may come after it.
  const auto edit_option = [&](const char* name, std::vector<std::string>& values, const char* help,
                               const char* type) {
    command.AddOption(name, values, help).Type(type).OneValueEach();
  };
  edit_option("--scale", options->scale, "Multiply the time of matching work; may be repeated",
              "KIND~REGEX=FACTOR");
  edit_option("--remove", options->remove, "Remove matching work; may be repeated", "KIND~REGEX");
  command.AddFlag("--free-dataloader", options->edits.free_dataloader,
                  "The data loader returns batches without delay");
  command.AddFlag("--no-syncs", options->edits.no_syncs, "No call waits for the GPU");
  command.AddFlag("--async-copies", options->edits.async_copies,
                  "Copies run concurrently with kernels and block nothing");
  command.AddFlag("--free-launches", options->edits.free_launches,
                  "CUDA calls that start GPU work take no time");
  command.AddFlag("--cuda-graph", options->edits.cuda_graph,
                  "The step is one CUDA graph; only the data loader's CPU work remains");
  command.AddFlag("--keep-profiler", options->keep_profiler,
                  "Do not subtract the profiler's overhead");
  command.AddChoice("--format", options->format, {"text", "json"}, "text or json").Type("FORMAT");
  AddColorOption(command, options->color);
  AddIterationFlags(command, options->iterations);
  command.SetFooter(
      "KIND is kernel, copy, op (its CPU time and GPU work), cpu (an op's CPU time only) or api. "
      "REGEX may match anywhere in the name. The recorded step is replayed with the edits; "
      "everything else keeps its time and waits for what it waited for.");
  command.AddExample("warpsight whatif run.warpsight --scale 'kernel~gemm|nvjet=0.5'",
                     "Matrix products take half the time");
  command.AddExample("warpsight whatif run.warpsight --remove 'op~aten::item' --async-copies",
                     "No .item(), and copies beside the kernels");
  AddInputVariables(command);
  command.SetRun([options] { return Run(*options); });
}

}  // namespace warpsight
