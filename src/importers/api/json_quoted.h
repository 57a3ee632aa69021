#pragma once

#include <string>
#include <string_view>

namespace warpsight {

// A text, which is UTF-8, as a JSON string.
std::string JsonQuoted(std::string_view text);

}  // namespace warpsight
