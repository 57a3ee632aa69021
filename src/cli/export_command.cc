#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/text/format.h"
#include "analysis/text/wrap_text.h"
#include "base/printable.h"
#include "cli/app.h"
#include "cli/commands.h"
#include "cli/export_formats.h"
#include "cli/input_files.h"
#include "cli/open_input.h"
#include "cli/output_rules.h"
#include "cli/terminal/console.h"
#include "cli/terminal/progress_bar.h"
#include "exporters/api/exporter.h"
#include "exporters/api/output_file.h"
#include "profiles/open_profile.h"
#include "server/offline_page.h"
#include "server/profiles.h"

namespace warpsight {
namespace {

struct Options {
  std::vector<std::string> paths;
  std::string format = "html";
  std::string file;
  double timeline_mb = 4;
  size_t rows = 2000;
  bool force = false;
};

OutputKind PageKind() { return ExportedKind("html", &server::IsOfflinePage); }

// Complete or not at all, also after Ctrl-C.
Status WriteFile(const std::string& path, const OutputRules& rules, std::string_view bytes) {
  Progress progress;
  const ProgressBar bar(progress);
  auto file = OutputFile::Create(path, rules, PageKind());
  if (!file.ok()) return file.error();
  file->Write(bytes);
  if (progress.cancelled()) return Error{"interrupted"};
  return file->Commit();
}

Status CheckFile(const std::string& path, const OutputRules& rules) {
  if (path == "-") return {};
  const auto place = OutputPlace::Find(path, rules, PageKind());
  return place.ok() ? Status() : CannotWrite(path, place.error());
}

// What was written.
void PrintPage(const std::string& file, const server::OfflinePageInfo& page, size_t rows) {
  std::string text = fmt::format("{}: {}, {} reports", Printable(file),
                                 FormatBytes(static_cast<double>(page.html.size())), page.reports);
  if (page.cut_reports > 0) {
    text += fmt::format(" ({} with their first {} rows)", page.cut_reports,
                        FormatCount(static_cast<int64_t>(rows)));
  }
  if (page.timeline_level >= 0) {
    text += fmt::format(", timeline in {} tiles of {} levels",
                        FormatCount(static_cast<int64_t>(page.tiles)), page.timeline_level + 1);
  }
  PrintRendered(HangingText("", 0, text, ListWidth()));
}

int RunHtml(const Options& options) {
  if (options.paths.size() > 1)
    return FailUsage("export: a page can show only one profile or trace");
  const OutputRules rules = RulesFor(options.paths, options.force);
  Status status = options.file.empty() ? Status() : CheckFile(options.file, rules);
  if (!status.ok()) return FailOutput(status.error());
  std::optional<PhaseBar> bar("importing");
  Progress copying;
  const auto files = InputFiles::Open(options.paths, copying);
  if (!files.ok()) {
    bar.reset();
    return Fail(files.error().message);
  }
  server::Profiles profiles(
      files->paths(),
      [](const std::string& path, Progress& progress) {
        return ImportProfile({path}, "", {}, progress);
      },
      Inform, server::Folders::kHidden);
  const std::string file =
      options.file.empty() ? profiles.List().front().id + ".html" : options.file;
  if (status = CheckFile(file, rules); !status.ok()) {
    bar.reset();
    return FailOutput(status.error());
  }
  profiles.Wait();
  bar.reset();
  const server::ProfileState state = profiles.List().front();
  if (state.state != server::ProfileState::State::kReady) return Fail(files->Named(state.error));
  server::Api api(profiles);
  server::OfflineOptions offline;
  offline.rows = options.rows;
  offline.timeline_bytes = static_cast<size_t>(options.timeline_mb * 1e6);
  bar.emplace("writing");
  const auto page = server::MakeOfflinePage(api, state.id, offline);
  bar.reset();
  if (!page.ok()) return Fail(page.error().message);
  if (status = WriteFile(file, rules, page->html); !status.ok()) return FailOutput(status.error());
  if (file == "-") return kExitOk;
  PrintPage(file, *page, options.rows);
  return kExitOk;
}

int Run(const Options& options) {
  if (options.file == "-" && IsTerminal(STDOUT_FILENO)) {
    return FailUsage("export: standard output is a terminal; name a file or use a pipe");
  }
  if (options.format == "html") return RunHtml(options);
  return ExportTo(options.format, options.paths, options.file, options.force);
}

}  // namespace

void AddExportCommand(CommandLine& line) {
  auto options = std::make_shared<Options>();
  Command command = line.AddCommand(
      "export", "Write a profile as one page with its viewer, or in another program's format");
  command.AddOption("PROFILE|TRACE", options->paths, kProfileOrTraces)
      .Files(InputEndings())
      .Required();
  const std::vector<Term> formats = ExportFormats();
  std::vector<std::string> names;
  names.reserve(formats.size());
  for (const Term& format : formats) names.push_back(format.name);
  command
      .AddChoice("--to", options->format, names,
                 fmt::format("One of {} (default: html)", fmt::join(names, ", ")))
      .Type("FORMAT")
      .Choices(formats, "Formats");
  command
      .AddOption("--html,-o,--output", options->file,
                 "File or folder to write (default: the profile's name with the format's "
                 "ending; - for standard output)")
      .Type("PATH")
      .Files({});
  command
      .AddNumber("--timeline-mb", options->timeline_mb, 0.0, 1000.0,
                 "Maximum size of the timeline in MB; more allows zooming in further")
      .Type("MB")
      .ShowDefault();
  command
      .AddNumber("--rows", options->rows, size_t{1}, size_t{10'000'000},
                 "Maximum number of rows per table")
      .Type("N")
      .ShowDefault();
  AddForceFlag(command, options->force);
  command.SetFooter(
      "The page opens in any browser, also from an email or a wiki. SQL, other iterations and "
      "search in the timeline need `warpsight view`.");
  command.AddExample("warpsight export run.warpsight --html run.html", "A page to send to others");
  command.AddExample("warpsight export run.warpsight --to chrome -o run.json.gz",
                     "For chrome://tracing and other viewers of Chrome JSON");
  command.AddExample("warpsight export trace.json.gz --to perfetto -o - | gzip > run.pftrace.gz",
                     "To standard output");
  command.AddExample("warpsight export run.warpsight --to parquet -o all_runs",
                     "Tables for pandas, Polars and others, in a folder");
  AddInputVariables(command);
  command.SetRun([options] { return Run(*options); });
}

}  // namespace warpsight
