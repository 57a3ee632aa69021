#include "exporters/api/report_folder.h"

namespace warpsight::exporters::json {

Exporter Define() {
  return {"json",
          "every report as JSON, one file per report",
          "_json",
          [](const Profile&) { return true; },
          [](const ExportJob& job) { return WriteReportFolder(job, ReportFormat::kJson); },
          [] { return ReportFileKind(ReportFormat::kJson); }};
}

}  // namespace warpsight::exporters::json
