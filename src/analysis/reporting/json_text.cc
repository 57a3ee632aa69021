#include "analysis/reporting/json_text.h"

#include <fmt/format.h>

#include <iterator>

#include "analysis/reporting/utf8.h"

namespace warpsight {

void AppendJsonString(std::string_view text, std::string& out) {
  out += '"';
  while (!text.empty()) {
    const std::string_view before = text;
    const char32_t c = TakeCharacter(text);
    if (c == U'"' || c == U'\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c == U'\n') {
      out += "\\n";
    } else if (c == U'\t') {
      out += "\\t";
    } else if (c < 0x20 || c == 0x7F) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
    } else if (c == kReplacementCharacter) {
      out += "\xEF\xBF\xBD";
    } else {
      out += before.substr(0, before.size() - text.size());
    }
  }
  out += '"';
}

std::string JsonString(std::string_view text) {
  std::string result;
  AppendJsonString(text, result);
  return result;
}

}  // namespace warpsight
