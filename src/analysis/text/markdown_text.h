#pragma once

#include <string>
#include <string_view>

namespace warpsight {

// A text on one line that Markdown shows as it is: kernel names are full of characters that it
// would take as HTML or emphasis.
std::string EscapeMarkdown(std::string_view text);

}  // namespace warpsight
