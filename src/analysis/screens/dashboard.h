#pragma once

#include <string>

#include "analysis/reporting/report.h"

// What the viewer's dashboard and roofline show, each as one JSON object; docs/api.md describes
// them. The numbers are those of the reports `summary`, `detail`, `gpus` and `roofline`.
namespace warpsight {

std::string DashboardJson(const ReportInput& input);
std::string RooflineJson(const ReportInput& input);

}  // namespace warpsight
