#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpsight {

// The end of the word at `at`. A number includes its unit: "19.1 %" and "875 µs" are one word each.
size_t EndOfWord(std::string_view text, size_t at);

// The text in lines of at most `width` columns, broken between words. A longer word gets a separate
// line. A text without words gives no lines.
std::vector<std::string> WrapText(std::string_view text, size_t width);

// `head` in `margin` columns, and `text` wrapped beside it; every line ends with a newline. A
// longer head gets a separate line.
std::string HangingText(std::string_view head, size_t margin, std::string_view text, size_t width);

}  // namespace warpsight
