#include "exporters/api/report_folder.h"

namespace warpsight::exporters::csv {

Exporter Define() {
  return {"csv",
          "every report as CSV, one file per report",
          "_csv",
          [](const Profile&) { return true; },
          [](const ExportJob& job) { return WriteReportFolder(job, ReportFormat::kCsv); },
          [] { return ReportFileKind(ReportFormat::kCsv); }};
}

}  // namespace warpsight::exporters::csv
