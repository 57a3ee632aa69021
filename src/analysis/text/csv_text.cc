#include "analysis/text/csv_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

namespace warpsight {
namespace {

bool IsNumber(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, value);
  return parsed == end && error != std::errc::invalid_argument;
}

}  // namespace

bool LooksLikeFormula(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n\"'");
  if (begin == std::string_view::npos) return false;
  // "＝", "＋", "－", "＠": some spreadsheets treat these as the half-width characters.
  static constexpr std::array<std::string_view, 8> kMarks = {
      "=", "+", "-", "@", "\xEF\xBC\x9D", "\xEF\xBC\x8B", "\xEF\xBC\x8D", "\xEF\xBC\xA0"};
  const std::string_view rest = text.substr(begin);
  const bool marked = std::any_of(kMarks.begin(), kMarks.end(), [&](std::string_view mark) {
    return rest.starts_with(mark) && rest.size() > mark.size();
  });
  const char first = text[text.find_first_not_of('\'')];
  const bool breaks = first == '\t' || first == '\r' || first == '\n';
  return (marked || breaks) && !IsNumber(text);
}

void AppendCsvField(std::string_view field, std::string& out, char separator) {
  std::string marked;
  std::string_view text = field;
  if (LooksLikeFormula(field)) {
    marked.assign(1, '\'').append(field);
    text = marked;
  }
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
