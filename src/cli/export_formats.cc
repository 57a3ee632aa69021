#include "cli/export_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>

#include "analysis/text/format.h"
#include "base/check.h"
#include "cli/app.h"
#include "cli/input_files.h"
#include "cli/output_rules.h"
#include "cli/terminal/console.h"
#include "cli/terminal/progress_bar.h"
#include "exporters/api/exporter.h"
#include "exporters/api/output_file.h"
#include "model/source_names.h"
#include "profiles/open_profile.h"

namespace warpsight {
namespace {

struct Written {
  std::string output;
  ExportResult result;
  double seconds;      // of writing alone
  std::string notice;  // on the input
};

// Whether the output may be written there. The files of a folder that are replaced are known only
// later.
Status CheckOutput(const Exporter& exporter, const std::string& output, const OutputRules& rules) {
  std::error_code error;
  if (output.empty() || output == "-" || std::filesystem::is_directory(output, error)) return {};
  const bool only_folders = !exporter.ending.starts_with('.');
  if (only_folders && std::filesystem::exists(output, error)) {
    return CannotWrite(output, Error{"it is a file, not a folder"});
  }
  const auto place = OutputPlace::Find(output, rules, exporter.kind());
  return place.ok() ? Status() : CannotWrite(output, place.error());
}

Result<Written> OpenAndWrite(const Exporter& exporter, const std::vector<std::string>& paths,
                             const std::string& output, bool force) {
  const OutputRules rules = RulesFor(paths, force);
  if (Status status = CheckOutput(exporter, output, rules); !status.ok()) {
    return status.error();
  }
  Progress progress;
  const ProgressBar bar(progress);
  LoadOptions everything;
  everything.skip.clear();
  const auto files = InputFiles::Open(paths, progress);
  if (!files.ok()) return files.error();
  auto opened = OpenProfile(files->paths(), {}, progress, everything);
  if (!opened.ok()) return files->Named(opened.error());
  if (progress.cancelled()) return Error{"interrupted"};
  Profile& profile = opened->profile;
  files->NameIn(profile.trace);
  DropSourceFolders(profile.trace);
  const bool folder = exporter.makes_folder(profile);
  if (folder && output == "-") {
    return Error{
        fmt::format("{} writes several files here: specify a folder with -o", exporter.name)};
  }
  const ExportJob job{profile, output.empty() ? DefaultOutput(exporter, profile) : output, progress,
                      rules};
  const auto begin = std::chrono::steady_clock::now();
  const auto result = exporter.run(job);
  if (!result.ok()) return result.error();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return Written{job.output, *result, took.count(), files->Named(opened->notice)};
}

}  // namespace

int ExportTo(const std::string& format, const std::vector<std::string>& paths,
             const std::string& output, bool force) {
  const std::vector<Exporter> all = AllExporters();
  const auto exporter =
      std::find_if(all.begin(), all.end(), [&](const Exporter& e) { return e.name == format; });
  WS_CHECK(exporter != all.end());
  const auto written = OpenAndWrite(*exporter, paths, output, force);
  if (!written.ok()) return FailOutput(written.error());
  if (!written->notice.empty()) Inform(written->notice);
  if (written->output == "-") return kExitOk;
  const ExportResult& result = written->result;
  const auto bytes = static_cast<double>(result.bytes);
  const std::string files =
      result.files == 1 ? std::string() : fmt::format("{} files, ", result.files);
  Print("{}: {}{} in {:.2f} s ({:.0f} MB/s)\n", written->output, files, FormatBytes(bytes),
        written->seconds, bytes / 1e6 / std::max(written->seconds, 1e-9));
  return kExitOk;
}

std::vector<Term> ExportFormats() {
  std::vector<Term> formats = {{"html", "the viewer with this profile as one page"}};
  for (const Exporter& exporter : AllExporters()) {
    formats.push_back({std::string(exporter.name), std::string(exporter.title)});
  }
  return formats;
}

}  // namespace warpsight
