#include "exporters/api/report_folder.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "analysis/aggregation/report_cache.h"
#include "analysis/reporting/report_head.h"
#include "analysis/text/csv_text.h"
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

constexpr std::string_view kCsvIndexHead = "Report,File,Title,Description\n";
constexpr std::string_view kJsonIndexHead = "{\"profile\": \"";
constexpr std::string_view kJsonIndexList = ", \"reports\": [";
// Before the list of reports, the index contains only the profile's name.
constexpr size_t kLongestIndexHead = 64 * 1024;

std::string CsvIndex(const std::vector<Report>& reports) {
  std::string text(kCsvIndexHead);
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
  json.Raw(kJsonIndexList);
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

// Creates a file in the folder, fills it by calling write(Output&), and completes it.
template <typename Fill>
Status WriteFile(OutputFolder& folder, const std::string& name, Fill fill) {
  auto file = folder.CreateFile(name);
  if (!file.ok()) return file.error();
  ReportFile output(*file);
  fill(output);
  return file->Commit();
}

std::string IndexName(ReportFormat format) {
  return format == ReportFormat::kCsv ? "index.csv" : "index.json";
}

bool IsIndex(const std::string& path, ReportFormat format) {
  if (format == ReportFormat::kCsv) return BeginsWith(path, kCsvIndexHead);
  const std::string head = ReadHead(path, kLongestIndexHead);
  return head.starts_with(kJsonIndexHead) && head.find(kJsonIndexList) != std::string::npos;
}

// Recognizes earlier report files by their first bytes.
class ReportFiles {
 public:
  ReportFiles(std::span<const Report> reports, ReportFormat format) : format_(format) {
    for (const Report& report : reports) {
      heads_[ReportFileName(report, format)] = ReportHead(report, format);
    }
  }

  OutputKind Kind() const {
    return {"a file that Warpsight wrote for this report", [this](const std::string& path) {
              const std::string name = std::filesystem::path(path).filename().string();
              const auto head = heads_.find(name);
              if (head != heads_.end()) return BeginsWith(path, head->second);
              return name == IndexName(format_) && IsIndex(path, format_);
            }};
  }

 private:
  ReportFormat format_;
  std::map<std::string, std::string> heads_;  // by file name
};

// The printed form of a report may lack its title; a file always begins with it.
void RenderToFile(const Report& report, const ReportInput& input, ReportFormat format,
                  const TextStyle& style, Output& output) {
  if (format != ReportFormat::kText) return RenderReport(report, input, format, style, output);
  StringOutput text;
  RenderReport(report, input, format, style, text);
  const std::string head = ReportHead(report, format);
  if (!text.text().starts_with(head)) output.Write(head);
  output.Write(text.text());
}

}  // namespace

Result<ExportResult> WriteReportFolder(const ExportJob& job, ReportFormat format) {
  const std::vector<Report> reports = AllReports();
  job.progress.Begin("writing", static_cast<int64_t>(reports.size()));
  auto folder = OutputFolder::Create(job.output, job.rules, ReportFileKind(format));
  if (!folder.ok()) return folder.error();
  const RangeSummary range = SummarizeRange(job.profile);
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
  const Status status =
      WriteFile(*folder, IndexName(format), [&](Output& output) { output.Write(index); });
  if (!status.ok()) return status.error();
  const auto content = folder->Commit();
  if (!content.ok()) return content.error();
  return ExportResult{content->files, content->bytes};
}

Status WriteReports(const ReportFolderJob& job, const ReportInput& input) {
  const ReportFiles files(job.reports, job.format);
  auto folder = OutputFolder::Create(job.folder, job.rules, files.Kind());
  if (!folder.ok()) return folder.error();
  for (const Report& report : job.reports) {
    Status status = WriteFile(*folder, ReportFileName(report, job.format), [&](Output& output) {
      RenderToFile(report, input, job.format, job.style, output);
    });
    if (!status.ok()) return status;
  }
  return folder->Commit().status();
}

Status CheckReportFolder(const ReportFolderJob& job) {
  std::error_code error;
  if (!std::filesystem::is_directory(job.folder, error)) return {};
  const ReportFiles files(job.reports, job.format);
  for (const Report& report : job.reports) {
    const std::string path =
        (std::filesystem::path(job.folder) / ReportFileName(report, job.format)).string();
    const auto place = OutputPlace::Find(path, job.rules, files.Kind());
    if (!place.ok()) return CannotWrite(path, place.error());
  }
  return {};
}

OutputKind ReportFileKind(ReportFormat format) {
  const auto files = std::make_shared<ReportFiles>(AllReports(), format);
  OutputKind kind = files->Kind();
  return {kind.name, [files, kind](const std::string& path) { return kind.matches(path); }};
}

}  // namespace warpsight
