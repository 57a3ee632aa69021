#pragma once

#include <string>
#include <vector>

#include "importers/nsys/test_export.h"
#include "test_traces.h"

namespace warpsight::testing {

// Writes an Nsight Systems export to a file and returns its path.
std::string WriteExport(const TemporaryFolder& folder, const importers::nsys::TestExport& file);

// The output of `warpsight report` for a report as CSV, with additional options.
std::string ReportOf(const std::string& path, const std::string& report,
                     const std::vector<std::string>& options = {});

// The first line that starts with `begin`, or a text that says that there is none.
std::string LineOf(const std::string& text, const std::string& begin);
// All lines of a text. Line breaks inside quotes do not end a line.
std::vector<std::string> CsvLines(const std::string& text);

}  // namespace warpsight::testing
