#pragma once

#include <string>

#include "analysis/reporting/report.h"

// The content of the viewer's dashboard and roofline, each as one JSON object, described in
// docs/api.md. The numbers are those of the reports `summary`, `detail`, `gpus` and `roofline`.
namespace warpsight {

std::string DashboardJson(const ReportInput& input);
std::string RooflineJson(const ReportInput& input);

}  // namespace warpsight
