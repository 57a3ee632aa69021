#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warpsight {

// Columns that a text takes on a terminal: 0 for combining marks, 2 for wide East Asian characters
// and emoji, else 1.
size_t DisplayWidth(std::string_view text);

// The text in at most `width` columns: cut and ended with "…" where it is longer.
std::string Shorten(std::string_view text, size_t width);
// The same, cut in front.
std::string ShortenFront(std::string_view text, size_t width);

}  // namespace warpsight
