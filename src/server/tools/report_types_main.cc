// Writes TypeScript types for the rows of every report: report_types FILE. If the file is already
// up to date, it is not touched, so that the front end is not rebuilt.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "analysis/reporting/report.h"
#include "base/json_text.h"

namespace warpsight {
namespace {

std::string_view TypeOf(ColumnType type) {
  switch (type) {
    case ColumnType::kText:
      return "string";
    case ColumnType::kYesNo:
      return "boolean";
    default:
      return "number";
  }
}

std::string Types() {
  std::string text =
      "// Written by the build from the reports of the program.\nexport interface ReportRows {\n";
  for (const Report& report : AllReports()) {
    text += fmt::format("  {}: {{\n", report.id);
    for (const ReportColumn& column : report.columns) {
      text += fmt::format("    {}: {} | null;\n", JsonString(column.name), TypeOf(column.type));
    }
    text += "  };\n";
  }
  return text +
         "}\nexport type ReportId = keyof ReportRows;\n"
         "export type ColumnOf<R extends ReportId> = keyof ReportRows[R] & string;\n";
}

std::string Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

int Run(const std::string& path) {
  const std::string types = Types();
  if (Read(path) == types) return 0;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream file(path, std::ios::binary);
  file << types;
  file.close();
  if (file) return 0;
  fmt::print(stderr, "{}: cannot write\n", path);
  return 1;
}

}  // namespace
}  // namespace warpsight

int main(int argc, char** argv) {
  if (argc == 2) return warpsight::Run(argv[1]);
  fmt::print(stderr, "usage: report_types FILE\n");
  return 2;
}
