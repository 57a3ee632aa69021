#include "analysis/text/markdown_text.h"

#include "base/printable.h"

namespace warpsight {

std::string EscapeMarkdown(std::string_view text) {
  std::string result;
  for (const char c : Printable(text)) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '\\':
      case '`':
      case '*':
      case '_':
      case '~':
      case '|':
        result += '\\';
        [[fallthrough]];
      default:
        result += c;
    }
  }
  return result;
}

}  // namespace warpsight
