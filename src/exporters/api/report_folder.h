#pragma once

#include "analysis/reporting/render.h"
#include "exporters/api/exporter.h"

namespace warpsight {

// Writes every report into the job's folder, a file each, and an index of them.
Result<ExportResult> WriteReportFolder(const ExportJob& job, ReportFormat format);

}  // namespace warpsight
