#include "analysis/reporting/report_head.h"

#include <fmt/format.h>

#include "analysis/reporting/renderer.h"

namespace warpsight {

std::string ReportHead(const Report& report, ReportFormat format) {
  StringOutput output;
  switch (format) {
    case ReportFormat::kCsv:
      MakeCsvRenderer(report, output)->Begin();
      break;
    case ReportFormat::kJson:
      MakeJsonRenderer(report, output)->Begin();
      break;
    case ReportFormat::kMarkdown:
      MakeMarkdownRenderer(report, output)->Begin();
      break;
    case ReportFormat::kText:
      return fmt::format("{}\n\n", report.title);
  }
  return output.text();
}

}  // namespace warpsight
