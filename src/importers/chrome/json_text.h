#pragma once

#include <string>
#include <string_view>

namespace warpsight::importers::chrome {

// The text that an escaped JSON string stands for. `buffer` holds it when there was anything to
// resolve; wrong escapes are kept as they are.
std::string_view Unescape(std::string_view escaped, std::string& buffer);

// Where the JSON value that begins at text[pos] ends, or npos when the text ends first. Follows
// strings and brackets only, so it also gets through text that is not quite JSON; not recursive.
size_t FindValueEnd(std::string_view text, size_t pos);

// The next place at or after `from` where a record of traceEvents seems to begin: a '{' behind a
// comma, a '[' or the start, followed by one of the fields that records begin with. A guess, which
// the parser then confirms or refutes.
size_t FindRecordStart(std::string_view text, size_t from);
// The last such place that follows a comma, in text[0, size); npos when there is none. `comma` gets
// the position of that comma.
size_t FindLastRecordStart(std::string_view text, size_t* comma);

size_t SkipSpace(std::string_view text, size_t pos);

}  // namespace warpsight::importers::chrome
