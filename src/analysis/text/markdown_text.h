#pragma once

#include <string>
#include <string_view>

namespace warpsight {

// A text on one line that Markdown shows unchanged: kernel names contain many characters that it
// would interpret as HTML or emphasis.
std::string EscapeMarkdown(std::string_view text);

}  // namespace warpsight
