#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpsight {

// Where the word at `at` ends. A number keeps its unit: "19.1 %" and "875 µs" are one word each.
size_t EndOfWord(std::string_view text, size_t at);

// The text in lines of at most `width` columns, broken between words; a longer word gets a line of
// its own. No line for a text without words.
std::vector<std::string> WrapText(std::string_view text, size_t width);

// `head` in `margin` columns, and `text` wrapped beside it, each line ended. A longer head gets a
// line of its own.
std::string HangingText(std::string_view head, size_t margin, std::string_view text, size_t width);

}  // namespace warpsight
