#pragma once

#include <string>
#include <string_view>

namespace warpsight::server {

// RFC 4648, with padding.
std::string Base64(std::string_view bytes);

}  // namespace warpsight::server
