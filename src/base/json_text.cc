#include "base/json_text.h"

#include <fmt/format.h>

#include <array>
#include <climits>
#include <iterator>

#include "base/printable.h"
#include "base/utf8.h"

namespace warpsight {
namespace {

// JSON escapes characters as UTF-16 units.
void AppendEscape(char32_t c, std::string& out) {
  const auto write = [&](char32_t unit) {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(unit));
  };
  if (c < 0x10000) {
    write(c);
  } else {
    write(0xD800 + ((c - 0x10000) >> 10));
    write(0xDC00 + ((c - 0x10000) & 0x3FF));
  }
}

// One-byte characters that need no escape; nearly all texts consist of them.
constexpr std::array<bool, UCHAR_MAX + 1> kPlain = [] {
  std::array<bool, UCHAR_MAX + 1> plain{};
  for (size_t c = ' '; c <= '~'; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

size_t PlainLength(std::string_view text) {
  size_t length = 0;
  while (length < text.size() && kPlain[static_cast<unsigned char>(text[length])]) ++length;
  return length;
}

}  // namespace

void AppendJsonString(std::string_view text, std::string& out) {
  out += '"';
  while (true) {
    const size_t plain = PlainLength(text);
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const std::string_view before = text;
    const char32_t c = TakeCharacter(text);
    if (c == U'"' || c == U'\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c == U'\n') {
      out += "\\n";
    } else if (c == U'\t') {
      out += "\\t";
    } else if (IsInvisible(c)) {
      AppendEscape(c, out);
    } else if (c == kReplacementCharacter) {
      out += kUtf8Replacement;
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
