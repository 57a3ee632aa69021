#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>

#include "importers/api/utf8.h"

namespace warpsight::importers::xplane {

// The text itself where it is UTF-8, else a repaired copy in `buffer`.
inline std::string_view ValidUtf8(std::string_view text, std::string& buffer) {
  if (simdjson::validate_utf8(text.data(), text.size())) return text;
  buffer = RepairUtf8(text);
  return buffer;
}

}  // namespace warpsight::importers::xplane
