#include "exporters/api/report_folder.h"

#include <vector>

#include "analysis/reporting/csv_text.h"
#include "analysis/reporting/report_cache.h"
#include "exporters/api/json_text.h"
#include "exporters/api/output_file.h"
#include "exporters/api/output_folder.h"

namespace warpsight {
namespace {

class ReportFile : public Output {
 public:
  explicit ReportFile(OutputFile& file) : file_(file) {}
  void Write(std::string_view text) override { file_.Write(text); }

 private:
  OutputFile& file_;
};

std::string CsvIndex(const std::vector<Report>& reports) {
  std::string text = "Report,File,Title,Description\n";
  for (const Report& report : reports) {
    text += fmt::format("{},{},{},{}\n", report.id, ReportFileName(report, ReportFormat::kCsv),
                        CsvField(report.title), CsvField(report.description));
  }
  return text;
}

std::string JsonIndex(const std::vector<Report>& reports, std::string_view profile) {
  std::string text = "{\"profile\": ";
  JsonText json(text);
  json.Quoted(profile);
  json.Raw(", \"reports\": [");
  for (const Report& report : reports) {
    json.Raw(&report == reports.data() ? "\n  {\"id\": " : ",\n  {\"id\": ");
    json.Quoted(report.id);
    json.Raw(", \"file\": ");
    json.Quoted(ReportFileName(report, ReportFormat::kJson));
    json.Raw(", \"title\": ");
    json.Quoted(report.title);
    json.Raw(", \"description\": ");
    json.Quoted(report.description);
    json.Raw("}");
  }
  json.Raw("\n]}\n");
  return text;
}

// Creates a file of the folder, fills it with write(Output&) and completes it.
template <typename Fill>
Status WriteFile(OutputFolder& folder, const std::string& name, Fill fill) {
  const auto place = folder.Place(name);
  if (!place.ok()) return place.error();
  auto file = OutputFile::Create(*place);
  if (!file.ok()) return file.error();
  ReportFile output(*file);
  fill(output);
  return file->Commit();
}

}  // namespace

Result<ExportResult> WriteReportFolder(const ExportJob& job, ReportFormat format) {
  const std::vector<Report> reports = AllReports();
  job.progress.Begin("writing", static_cast<int64_t>(reports.size()));
  auto folder = OutputFolder::Create(job.output);
  if (!folder.ok()) return folder.error();
  const RangeSummary range = SummariseRange(job.profile);
  ReportCache cache;
  const ReportInput input{job.profile, range, std::nullopt, &cache};
  for (const Report& report : reports) {
    if (job.progress.cancelled()) return Error{"interrupted"};
    const Status status = WriteFile(*folder, ReportFileName(report, format), [&](Output& output) {
      RenderReport(report, input, format, {}, output);
    });
    if (!status.ok()) return status.error();
    job.progress.Add(1);
  }
  const bool csv = format == ReportFormat::kCsv;
  const std::string index =
      csv ? CsvIndex(reports) : JsonIndex(reports, job.profile.trace.profile_name);
  const Status status = WriteFile(*folder, csv ? "index.csv" : "index.json",
                                  [&](Output& output) { output.Write(index); });
  if (!status.ok()) return status.error();
  const auto content = folder->Commit();
  if (!content.ok()) return content.error();
  return ExportResult{content->files, content->bytes};
}

}  // namespace warpsight
