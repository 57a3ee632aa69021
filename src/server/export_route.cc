#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "server/api.h"

namespace warpsight::server {
namespace {

// A name that is valid in all file systems and in headers.
std::string FileName(const ExportHeading& heading, ExportFormat format) {
  std::string name = fmt::format("{}-{}.{}", heading.profile_name, heading.id, ToString(format));
  for (char& c : name) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '.' || c == '-' || c == '_';
    if (!plain) c = '_';
  }
  return name;
}

}  // namespace

Response ExportRoute(const Request& request, const Table& table, std::span<const uint32_t> rows,
                     const ExportHeading& heading) {
  const auto format = ParseExportFormat(request.Param("format"));
  if (!format) {
    return Failure(400, "bad-parameter", "format must be one of csv, tsv, json, xlsx, pdf");
  }
  auto file = ExportTable(table, rows, *format, heading);
  if (!file.ok()) {
    const std::string_view code = file.error().code;
    return Failure(code.empty() ? 500 : 400, code.empty() ? "export-failed" : code,
                   file.error().message);
  }
  Response response;
  response.type = ContentType(*format);
  response.body = std::make_shared<const std::string>(std::move(*file));
  response.keep = Keep::kNever;
  response.file_name = FileName(heading, *format);
  return response;
}

}  // namespace warpsight::server
