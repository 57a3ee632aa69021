#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warpsight {

inline constexpr std::string_view kUtf8Replacement = "\xEF\xBF\xBD";  // U+FFFD

// Length of the UTF-8 character at text[pos], 0 when there is none.
size_t Utf8Length(std::string_view text, size_t pos);

// The text with U+FFFD in place of every byte that is not UTF-8.
std::string RepairUtf8(std::string_view text);
// The same; `buffer` holds it when there was anything to repair.
std::string_view ValidUtf8(std::string_view text, std::string& buffer);

}  // namespace warpsight
