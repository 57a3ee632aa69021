#pragma once

#include <string>
#include <vector>

#include "importers/nsys/test_export.h"
#include "test_traces.h"

namespace warpsight::testing {

// Writes an Nsight Systems export as a file; its path.
std::string WriteExport(const TemporaryFolder& folder, const importers::nsys::TestExport& file);

// What `warpsight report` prints of a report as CSV, with further options.
std::string ReportOf(const std::string& path, const std::string& report,
                     const std::vector<std::string>& options = {});

// The line of a text that begins so, or a text that says there is none.
std::string LineOf(const std::string& text, const std::string& begin);
// All lines of a text. A line break inside quotes does not end a line.
std::vector<std::string> CsvLines(const std::string& text);

}  // namespace warpsight::testing
