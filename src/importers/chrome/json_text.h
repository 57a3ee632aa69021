#pragma once

#include <string>
#include <string_view>

#include "base/utf8.h"

namespace warpsight::importers::chrome {

// The text that an escaped JSON string stands for. `buffer` holds it when there was anything to
// resolve; wrong escapes are kept as they are.
std::string_view Unescape(std::string_view escaped, std::string& buffer);

// FindValueEnd's answer for a string that the line ends before its quote: it is not closed, and
// what follows is not to be trusted.
inline constexpr size_t kBrokenString = std::string_view::npos - 1;

// Where the JSON value that begins at text[pos] ends, npos when the text ends first, or
// kBrokenString. Follows strings and brackets only, so it also gets through text that is not quite
// JSON; not recursive. `broken_at` gets the place where a broken string's line ends.
size_t FindValueEnd(std::string_view text, size_t pos, size_t* broken_at = nullptr);

// The next place at or after `from` where a record of traceEvents seems to begin: a '{' behind
// "},", followed by one of the fields that records begin with. A guess, which the parser then
// confirms or refutes; npos when there is none.
size_t FindRecordStart(std::string_view text, size_t from);
// The last such place; `comma` gets the position of the comma before it.
size_t FindLastRecordStart(std::string_view text, size_t* comma);

// A character for a message: itself, or its code.
std::string ShownCharacter(char c);

// Repairs a record that is almost JSON: drops trailing commas, quotes bare keys, replaces control
// characters by spaces and bytes that are not UTF-8 by U+FFFD.
std::string RepairRecord(std::string_view record);

inline bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
size_t SkipSpace(std::string_view text, size_t pos);

}  // namespace warpsight::importers::chrome
