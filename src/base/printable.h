#pragma once

#include <string>
#include <string_view>

// Names come from traces, files and arguments: other people's bytes. What a terminal or an editor
// would act on instead of showing it is printed as an escape: "\x1b", "\n", "\u202e"; a byte that
// is not UTF-8 as "\xff". The results are valid UTF-8.
namespace warpsight {

// Characters that are not shown but change how others are: control characters (C0, DEL, C1), line
// and paragraph separators, directions of writing, and characters of no width.
bool IsInvisible(char32_t character);

// A text on one line.
std::string Printable(std::string_view text);

// A text of several lines: newlines stay.
std::string PrintableLines(std::string_view text);

// What a renderer of ours made of printable texts: newlines and colors (SGR sequences) stay.
std::string PrintableStyled(std::string_view text);

}  // namespace warpsight
