#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warpsight {

inline constexpr char32_t kReplacementCharacter = 0xFFFD;

// Takes the first character off `text`, which must not be empty. A byte that does not begin a valid
// sequence is one kReplacementCharacter.
char32_t TakeCharacter(std::string_view& text);

// Columns that a text takes on a terminal: 0 for combining marks, 2 for wide East Asian characters
// and emoji, else 1.
size_t DisplayWidth(std::string_view text);

// The text in at most `width` columns: cut and ended with "…" where it is longer.
std::string Shorten(std::string_view text, size_t width);
// The same, cut in front.
std::string ShortenFront(std::string_view text, size_t width);

// The text on one line that a terminal can print: control characters become blanks (a name may hold
// a newline or an escape sequence), invalid bytes become kReplacementCharacter.
std::string Printable(std::string_view text);

}  // namespace warpsight
