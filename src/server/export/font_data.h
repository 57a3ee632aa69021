#pragma once

#include <string_view>

namespace warpsight::server {

// DejaVu Sans, a TrueType font that covers Latin, Greek, Cyrillic, Arabic and symbols. The build
// embeds it in the program.
std::string_view FontData();

}  // namespace warpsight::server
