#pragma once

#include <string>
#include <string_view>

// Names come from traces, files and arguments and are untrusted. Characters that a terminal or an
// editor would interpret instead of showing are printed as escapes: "\x1b", "\n", "\u202e"; a byte
// that is not UTF-8 as "\xff". The results are valid UTF-8.
namespace warpsight {

// Invisible characters that affect how other characters are shown: control characters (C0, DEL,
// C1), line and paragraph separators, bidirectional controls, and zero-width characters.
bool IsInvisible(char32_t character);

// A text on one line.
std::string Printable(std::string_view text);

// A text of several lines: newlines stay.
std::string PrintableLines(std::string_view text);

// Output of our own renderers: newlines and colors (SGR sequences) are kept.
std::string PrintableStyled(std::string_view text);

}  // namespace warpsight
