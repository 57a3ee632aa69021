#include "exported_reports.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace warpsight::testing {

std::string WriteExport(const TemporaryFolder& folder, const importers::nsys::TestExport& file) {
  std::string path = folder.Path("export.sqlite");
  std::ofstream(path, std::ios::binary) << file.Bytes();
  return path;
}

std::string ReportOf(const std::string& path, const std::string& report,
                     const std::vector<std::string>& options) {
  std::vector<std::string> arguments = {"report", path, "--report", report, "--format", "csv"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const ProgramRun run = RunWarpsight(arguments);
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  return run.output;
}

std::string LineOf(const std::string& text, const std::string& begin) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(begin)) return line;
  }
  return "no line begins with " + begin + " in\n" + text;
}

std::vector<std::string> CsvLines(const std::string& text) {
  std::vector<std::string> lines(1);
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (c == '\n' && !quoted) {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

}  // namespace warpsight::testing
