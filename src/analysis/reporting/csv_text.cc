#include "analysis/reporting/csv_text.h"

namespace warpsight {

void AppendCsvField(std::string_view text, std::string& out, char separator) {
  const char special[] = {separator, '"', '\r', '\n'};
  if (text.find_first_of(std::string_view(special, sizeof special)) == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

std::string CsvField(std::string_view text) {
  std::string field;
  AppendCsvField(text, field);
  return field;
}

}  // namespace warpsight
