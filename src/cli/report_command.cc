#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/aggregation/report_cache.h"
#include "analysis/reporting/render.h"
#include "analysis/screens/one_screen.h"
#include "analysis/text/wrap_text.h"
#include "base/check.h"
#include "cli/app.h"
#include "cli/color_option.h"
#include "cli/commands.h"
#include "cli/input_files.h"
#include "cli/iteration_flags.h"
#include "cli/open_input.h"
#include "cli/output_rules.h"
#include "cli/peaks_flag.h"
#include "cli/suggestion.h"
#include "cli/terminal/console.h"
#include "cli/terminal/progress_bar.h"
#include "exporters/api/report_folder.h"
#include "profiles/open_profile.h"

namespace warpsight {
namespace {

constexpr int kMostRows = 10'000'000;

struct Options {
  std::vector<std::string> paths;
  std::vector<std::string> reports;
  std::string format = "text";
  std::string folder;
  bool list = false;
  int rows = -1;
  IterationOptions iterations;
  std::string peaks;
  bool force = false;
  std::string color = "auto";
};

int ListReports() {
  constexpr size_t kNameColumns = 25;
  const size_t width = ListWidth();
  for (const Report& report : AllReports()) {
    PrintRendered(HangingText(report.id, kNameColumns, report.description, width));
  }
  return kExitOk;
}

// What --report takes.
std::vector<Term> ReportTerms() {
  std::vector<Term> terms;
  for (const Report& report : AllReports()) {
    terms.push_back({std::string(report.id), std::string(report.description)});
  }
  terms.push_back({"all", "every report"});
  return terms;
}

// The reports that the user named; an unknown name is an Error that lists the known ones.
Result<std::vector<Report>> ChooseReports(const std::vector<std::string>& names) {
  std::vector<Report> all = AllReports();
  std::vector<Report> chosen;
  for (const std::string& name : names) {
    if (name == "all") {
      chosen.insert(chosen.end(), all.begin(), all.end());
      continue;
    }
    const auto it =
        std::find_if(all.begin(), all.end(), [&](const Report& r) { return r.id == name; });
    if (it == all.end()) {
      std::vector<std::string> known;
      known.reserve(all.size());
      for (const Report& report : all) known.emplace_back(report.id);
      const std::string hint = DidYouMean(name, known);
      return Error{fmt::format(
          "there is no report '{}'{}", name,
          hint.empty() ? fmt::format("; there are: {}", fmt::join(known, ", ")) : hint)};
    }
    chosen.push_back(*it);
  }
  return chosen;
}

ReportFolderJob FolderJob(const Options& options, const std::vector<Report>& reports,
                          ReportFormat format) {
  std::vector<std::string> inputs = options.paths;
  if (!options.peaks.empty()) inputs.push_back(options.peaks);
  TextStyle style;
  style.max_rows = 0;
  style.width = 160;
  return {reports, format, style, options.folder, RulesFor(inputs, options.force)};
}

int WriteToFolder(const ReportFolderJob& job, const ReportInput& input) {
  const Status status = [&] {
    const PhaseBar bar("writing");
    return WriteReports(job, input);
  }();
  if (!status.ok()) return FailOutput(status.error());
  for (const Report& report : job.reports) {
    Print("{}\n",
          (std::filesystem::path(job.folder) / ReportFileName(report, job.format)).string());
  }
  return kExitOk;
}

void PrintReports(std::span<const Report> reports, const ReportInput& input, ReportFormat format,
                  const TextStyle& style) {
  StandardOutput output(format);
  const bool array = format == ReportFormat::kJson && reports.size() > 1;
  if (array) output.Write("[\n");
  for (size_t i = 0; i < reports.size(); ++i) {
    if (i > 0) output.Write(array ? ",\n" : "\n");
    // Several CSV tables on one stream need a line that says which one follows.
    if (format == ReportFormat::kCsv && reports.size() > 1) {
      output.Write(fmt::format("# {}\n", reports[i].id));
    }
    RenderReport(reports[i], input, format, style, output);
  }
  if (array) output.Write("]\n");
}

int Show(const Options& options, const ReportFolderJob& job, const std::optional<GpuPeaks>& peaks,
         bool one_screen, Profile& profile) {
  TextStyle style = StandardOutputStyle(ReadColorOption(options.color));
  if (options.rows >= 0) style.max_rows = options.rows;
  std::optional<PhaseBar> bar("analyzing");
  ApplyPeaks(peaks, profile);
  const RangeSummary range = SummarizeRange(profile);
  ReportCache cache;
  const ReportInput input{profile, range, peaks, &cache};
  const std::string screen = one_screen ? OneScreen(input, style) : "";
  bar.reset();
  if (!options.folder.empty()) return WriteToFolder(job, input);
  if (one_screen) {
    PrintRendered(screen);
  } else {
    PrintReports(job.reports, input, job.format, style);
  }
  return kExitOk;
}

int Run(const Options& options) {
  if (options.list) return ListReports();
  if (options.paths.empty()) return FailUsage("report: specify a profile or a trace");
  const std::optional<ReportFormat> format = ParseReportFormat(options.format);
  WS_CHECK(format);
  std::vector<std::string> names = options.reports;
  const bool one_screen = names.empty() && *format == ReportFormat::kText && options.folder.empty();
  if (names.empty() && !one_screen) names = {options.folder.empty() ? "summary" : "all"};
  const auto reports = ChooseReports(names);
  if (!reports.ok()) return FailUsage(reports.error().message);

  const auto peaks = ReadPeaksFlag(options.peaks);
  if (!peaks.ok()) return FailUsage(peaks.error().message);

  const ReportFolderJob job = FolderJob(options, *reports, *format);
  if (!options.folder.empty()) {
    if (const Status status = CheckReportFolder(job); !status.ok()) {
      return FailOutput(status.error());
    }
  }
  // New peaks mean new advice.
  const bool events = !one_screen || *peaks;
  auto profile = OpenInput(options.paths, options.iterations,
                           events ? LoadOptions() : LoadOptions::WithoutEvents());
  if (!profile.ok()) return Fail(profile.error().message);
  return Show(options, job, *peaks, one_screen, *profile);
}

}  // namespace

void AddReportCommand(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Command command = line.AddCommand("report", "Print reports about a profile or a trace");
  command.AddOption("PROFILE|TRACE", options->paths, kProfileOrTraces).Files(InputEndings());
  command
      .AddOption("--report", options->reports,
                 "Reports by name, separated by commas, or all (default: one screen)")
      .Type("NAME,...")
      .CommaSeparated()
      .Choices(ReportTerms());
  command
      .AddChoice("--format", options->format, {"text", "csv", "json", "md"},
                 "text, csv, json or md")
      .Type("FORMAT");
  command.AddOption("-o,--output", options->folder, "Write one file per report into this folder")
      .Type("DIR")
      .Folders();
  command
      .AddNumber("--rows", options->rows, 0, kMostRows,
                 "Rows of a text table, 0 for all (default: 40)")
      .Type("N");
  AddColorOption(command, options->color);
  command.AddFlag("--list", options->list, "Describe every report");
  AddForceFlag(command, options->force);
  AddIterationFlags(command, options->iterations);
  AddPeaksFlag(command, options->peaks);
  command.SetFooter(
      "Without --report, one screen says how long a step takes, where its time goes and what to "
      "change. Reports have the columns and rows of DLProf, Nsight Systems and nvprof, followed by "
      "columns of Warpsight's own.");
  command.AddExample("warpsight report trace.json.gz", "A first look");
  command.AddExample("warpsight report run.warpsight --report kernel,op_type --rows 10",
                     "The ten longest rows of two reports");
  command.AddExample("warpsight report run.warpsight --report all --format csv -o reports",
                     "All reports as CSV files in a folder");
  AddInputVariables(command);
  command.SetRun([options] { return Run(*options); });
}

}  // namespace warpsight
