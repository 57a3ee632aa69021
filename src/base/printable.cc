#include "base/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

#include "base/utf8.h"

namespace warpsight {
namespace {

struct CharacterRange {
  char32_t first, last;
};

// Invisible characters other than control characters, in ascending order.
constexpr std::array kInvisible = {
    CharacterRange{0x00AD, 0x00AD},    // soft hyphen
    CharacterRange{0x061C, 0x061C},    // Arabic letter mark
    CharacterRange{0x180E, 0x180E},    // Mongolian vowel separator
    CharacterRange{0x200B, 0x200F},    // zero-width blanks and joiners, direction marks
    CharacterRange{0x2028, 0x202E},    // line and paragraph separators, directions
    CharacterRange{0x2060, 0x206F},    // word joiner, invisible operators, isolates
    CharacterRange{0xFEFF, 0xFEFF},    // byte order mark
    CharacterRange{0xFFF9, 0xFFFB},    // interlinear annotations
    CharacterRange{0xE0000, 0xE007F},  // tags
};

// Appends the escape of the first character of `text`, which is `length` bytes long; 0: of a byte
// that is not UTF-8.
void AppendEscape(std::string_view text, size_t length, std::string& out) {
  const auto write = std::back_inserter(out);
  const auto byte = static_cast<uint8_t>(text.front());
  const auto code = static_cast<uint32_t>(TakeCharacter(text));
  if (code == '\n') {
    out += "\\n";
  } else if (code == '\t') {
    out += "\\t";
  } else if (code == '\r') {
    out += "\\r";
  } else if (length < 2) {
    fmt::format_to(write, "\\x{:02x}", byte);
  } else if (code > 0xFFFF) {
    fmt::format_to(write, "\\U{:08x}", code);
  } else {
    fmt::format_to(write, "\\u{:04x}", code);
  }
}

// Escapes what is not printable, except where keep(rest of the text) returns a number of bytes to
// keep unchanged.
template <typename Keep>
std::string Escaped(std::string_view text, Keep keep) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    std::string_view rest = text;
    const char32_t character = TakeCharacter(rest);
    size_t taken = text.size() - rest.size();
    if (length > 0 && !IsInvisible(character)) {
      out += text.substr(0, taken);
    } else if (const size_t kept = keep(text); kept > 0) {
      out += text.substr(0, kept);
      taken = kept;
    } else {
      AppendEscape(text, length, out);
    }
    text.remove_prefix(taken);
  }
  return out;
}

// Length of the SGR sequence (ECMA-48, 8.3.117: "\x1b[1;31m") that `text` begins with, or 0.
size_t ColorLength(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  const size_t end = text.find_first_not_of("0123456789;", 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

size_t NewlineLength(std::string_view text) { return text.front() == '\n' ? 1 : 0; }

}  // namespace

bool IsInvisible(char32_t character) {
  if (character < 0x20 || (character >= 0x7F && character < 0xA0)) return true;
  if (character < kInvisible.front().first) return false;
  const auto it = std::lower_bound(kInvisible.begin(), kInvisible.end(), character,
                                   [](const CharacterRange& r, char32_t c) { return r.last < c; });
  return it != kInvisible.end() && it->first <= character;
}

std::string Printable(std::string_view text) {
  return Escaped(text, [](std::string_view) -> size_t { return 0; });
}

std::string PrintableLines(std::string_view text) { return Escaped(text, NewlineLength); }

std::string PrintableStyled(std::string_view text) {
  return Escaped(
      text, [](std::string_view rest) { return std::max(NewlineLength(rest), ColorLength(rest)); });
}

}  // namespace warpsight
