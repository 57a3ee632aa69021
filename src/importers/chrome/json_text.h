#pragma once

#include <string>
#include <string_view>

#include "base/utf8.h"

namespace warpsight::importers::chrome {

// Resolves the escapes of a JSON string. `buffer` holds the result if there were any; invalid
// escapes are kept unchanged.
std::string_view Unescape(std::string_view escaped, std::string& buffer);

// FindValueEnd's result if a line ends inside a string: the string is not closed, and the text
// after it cannot be interpreted.
inline constexpr size_t kBrokenString = std::string_view::npos - 1;

// The end of the JSON value that begins at text[pos], npos if the text ends first, or
// kBrokenString. Considers only strings and brackets, so it also works for text that is not quite
// JSON. Not recursive. `broken_at` receives the position of the line end in a broken string.
size_t FindValueEnd(std::string_view text, size_t pos, size_t* broken_at = nullptr);

// The next position at or after `from` at which a record of traceEvents seems to begin: a '{' after
// "}," followed by one of the fields with which records begin. Parsing confirms or refutes this
// guess. npos if there is none.
size_t FindRecordStart(std::string_view text, size_t from);
// The last such position; `comma` receives the position of the comma before it.
size_t FindLastRecordStart(std::string_view text, size_t* comma);

// A character for a message: the character itself, or its code.
std::string ShownCharacter(char c);

// Repairs a record that is almost JSON: drops trailing commas, quotes bare keys, replaces control
// characters by spaces and bytes that are not UTF-8 by U+FFFD.
std::string RepairRecord(std::string_view record);

inline bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
size_t SkipSpace(std::string_view text, size_t pos);

}  // namespace warpsight::importers::chrome
