#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/accounting/range_summary.h"
#include "analysis/advice/stored_advice.h"
#include "analysis/aggregation/report_cache.h"
#include "analysis/screens/one_screen.h"
#include "analysis/screens/render_advice.h"
#include "exporters/api/exporter.h"
#include "exporters/api/output_file.h"
#include "exporters/api/output_folder.h"
#include "exporters/tensorboard/event_writer.h"
#include "exporters/tensorboard/step_scalars.h"

namespace warpsight::exporters::tensorboard {
namespace {

// A rank with iterations. TensorBoard shows each folder with an event file as a run.
struct Rank {
  std::string folder;
  std::vector<IterationId> iterations;
};

// Sources without a rank are numbered. With several ranks, their folders are in the profile's
// folder.
std::vector<Rank> FindRanks(ProfileView profile) {
  const Column<int64_t>& numbers = profile.trace.tables.sources.rank;
  const Column<SourceId>& sources = profile.facts.iterations.source;
  std::vector<std::vector<IterationId>> iterations(numbers.size());
  for (size_t i = 0; i < sources.size(); ++i) {
    iterations[Index(sources[i])].push_back(MakeId<IterationId>(i));
  }
  std::vector<Rank> ranks;
  const std::string name = FileNameOf(profile.trace);
  for (size_t s = 0; s < numbers.size(); ++s) {
    if (iterations[s].empty()) continue;
    const int64_t number = numbers[s] == kMissing ? static_cast<int64_t>(s) : numbers[s];
    std::string folder = fmt::format("{}/rank{}", name, number);
    const bool taken = std::any_of(ranks.begin(), ranks.end(),
                                   [&](const Rank& rank) { return rank.folder == folder; });
    if (taken) folder += fmt::format("_{}", s);
    ranks.push_back({folder, std::move(iterations[s])});
  }
  if (ranks.size() == 1) ranks.front().folder = name;
  return ranks;
}

// Converts a time of the trace to Unix time; if that was not recorded, times count from 0.
double Seconds(const Trace& trace, TimeNs time) {
  const int64_t origin = trace.origin_unix_ns == kMissing ? 0 : trace.origin_unix_ns;
  return static_cast<double>(origin + time) / 1e9;
}

// TensorBoard recognizes event files by this form of the name.
std::string FileName(const Trace& trace) {
  const int64_t origin = std::max<int64_t>(0, trace.origin_unix_ns);  // kMissing is negative
  return fmt::format("events.out.tfevents.{:010}.warpsight", origin / 1'000'000'000);
}

// Indents each line by four blanks, so that Markdown shows the text as code without formatting it.
std::string AsCode(std::string_view lines) {
  std::string code;
  while (!lines.empty()) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    code.append("    ").append(lines.substr(0, end)).push_back('\n');
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return code;
}

class RunWriter {
 public:
  RunWriter(const ExportJob& job, OutputFolder& folder)
      : profile_(job.profile),
        range_(SummarizeRange(job.profile)),
        scalars_(job.profile, range_),
        progress_(job.progress),
        folder_(folder) {}

  Status Write() {
    const std::vector<Rank> ranks = FindRanks(profile_);
    progress_.Begin("writing", static_cast<int64_t>(profile_.facts.iterations.start.size()));
    for (const Rank& rank : ranks) {
      auto file = folder_.CreateFile(rank.folder + "/" + FileName(profile_.trace));
      if (!file.ok()) return file.error();
      EventWriter events(*file, Seconds(profile_.trace, 0));
      // Written once, since it covers all ranks.
      if (&rank == ranks.data()) WriteTexts(events);
      WriteSteps(rank, events);
      if (progress_.cancelled()) return Error{"interrupted"};
      if (Status status = file->Commit(); !status.ok()) return status;
    }
    return {};
  }

 private:
  void WriteTexts(EventWriter& events) const {
    ReportCache cache;
    const std::string screen = OneScreen({profile_, range_, std::nullopt, &cache}, {});
    const double start = Seconds(profile_.trace, 0);
    events.Write(
        start, 0,
        Text{"Warpsight", "one screen", "What `warpsight report` prints.", AsCode(screen)});
    events.Write(start, 0,
                 Text{"Warpsight", "advice", "What to change, and the predicted effect.",
                      RenderAdviceMarkdown(profile_, LoadAdvice(profile_), {})});
  }

  void WriteSteps(const Rank& rank, EventWriter& events) const {
    const IterationsTable& iterations = profile_.facts.iterations;
    for (const IterationId iteration : rank.iterations) {
      if (progress_.cancelled()) return;
      const size_t row = Index(iteration);
      events.Write(Seconds(profile_.trace, iterations.window_end[row]), iterations.number[row],
                   scalars_.Of(iteration));
      progress_.Add(1);
    }
  }

  ProfileView profile_;
  const RangeSummary range_;
  const StepScalars scalars_;
  Progress& progress_;
  OutputFolder& folder_;
};

OutputKind Kind() {
  return ExportedKind("tensorboard",
                      [](const std::string& path) { return BeginsWith(path, FileHead()); });
}

Result<ExportResult> Run(const ExportJob& job) {
  auto folder = OutputFolder::Create(job.output, job.rules, Kind());
  if (!folder.ok()) return folder.error();
  if (const Status status = RunWriter(job, *folder).Write(); !status.ok()) return status.error();
  const auto content = folder->Commit();
  if (!content.ok()) return content.error();
  return ExportResult{content->files, content->bytes};
}

}  // namespace

Exporter Define() {
  return {"tensorboard",
          "event files for TensorBoard: every step's time and where it went",
          "_tensorboard",
          [](const Profile&) { return true; },
          Run,
          Kind};
}

}  // namespace warpsight::exporters::tensorboard
