#pragma once

#include <string_view>

namespace warpsight {

// What std::string_view::contains will be in C++23.
inline bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace warpsight
