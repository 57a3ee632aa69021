#pragma once

#include <span>
#include <string>

#include "analysis/reporting/render.h"
#include "exporters/api/exporter.h"

namespace warpsight {

// Writes every report into the job's folder, a file each, and an index of them.
Result<ExportResult> WriteReportFolder(const ExportJob& job, ReportFormat format);

struct ReportFolderJob {
  std::span<const Report> reports;
  ReportFormat format;
  TextStyle style;  // of text
  std::string folder;
  OutputRules rules;
};

// Writes these reports into the folder, a file each.
Status WriteReports(const ReportFolderJob& job, const ReportInput& input);

// Whether WriteReports() may write into the folder, before any work.
Status CheckReportFolder(const ReportFolderJob& job);

// The files that reports in this format become.
OutputKind ReportFileKind(ReportFormat format);

}  // namespace warpsight
