#pragma once

#include <span>
#include <string>

#include "analysis/reporting/render.h"
#include "exporters/api/exporter.h"

namespace warpsight {

// Writes every report to a file in the job's folder, and an index of them.
Result<ExportResult> WriteReportFolder(const ExportJob& job, ReportFormat format);

struct ReportFolderJob {
  std::span<const Report> reports;
  ReportFormat format;
  TextStyle style;  // for text
  std::string folder;
  OutputRules rules;
};

// Writes these reports to files in the folder.
Status WriteReports(const ReportFolderJob& job, const ReportInput& input);

// Checks before any work whether WriteReports() may write to the folder.
Status CheckReportFolder(const ReportFolderJob& job);

// The kind of the files of reports in this format.
OutputKind ReportFileKind(ReportFormat format);

}  // namespace warpsight
