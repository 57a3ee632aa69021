#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warpsight {

// The number of columns of a text on a terminal: 0 for combining marks, 2 for wide East Asian
// characters and emoji, otherwise 1.
size_t DisplayWidth(std::string_view text);

// The text in at most `width` columns: a longer text is shortened and ends with "…".
std::string Shorten(std::string_view text, size_t width);
// The same, shortened at its beginning.
std::string ShortenFront(std::string_view text, size_t width);

}  // namespace warpsight
