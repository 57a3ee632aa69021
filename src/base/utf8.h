#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warpsight {

inline constexpr char32_t kReplacementCharacter = 0xFFFD;
inline constexpr std::string_view kUtf8Replacement = "\xEF\xBF\xBD";  // the same in UTF-8

// The length of the UTF-8 character at text[pos]; 0 if none begins there.
size_t Utf8Length(std::string_view text, size_t pos = 0);

bool IsUtf8(std::string_view text);

// Removes the first character of `text`, which must not be empty, and returns it. A byte that does
// not begin a valid sequence is returned as kReplacementCharacter.
char32_t TakeCharacter(std::string_view& text);

// Halves of surrogate pairs and numbers beyond Unicode become kReplacementCharacter. Inline, since
// the agent also uses it, and links no libraries into recorded programs.
inline void AppendUtf8(char32_t character, std::string& out) {
  const bool surrogate = character >= 0xD800 && character < 0xE000;
  const char32_t c = surrogate || character > 0x10FFFF ? kReplacementCharacter : character;
  const auto tail = [&](unsigned shift) { out += static_cast<char>(0x80u | (c >> shift & 0x3Fu)); };
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0u | c >> 6);
    tail(0);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0u | c >> 12);
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0u | c >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

// The text with U+FFFD in place of every byte that is not UTF-8.
std::string RepairUtf8(std::string_view text);
// The same; `buffer` holds the result if anything had to be repaired.
std::string_view ValidUtf8(std::string_view text, std::string& buffer);

}  // namespace warpsight
