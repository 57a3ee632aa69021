#include "importers/api/utf8.h"

#include <simdjson.h>

#include <algorithm>
#include <cstdint>

namespace warpsight {

size_t Utf8Length(std::string_view text, size_t pos) {
  const auto byte = [&](size_t i) -> uint32_t {
    return pos + i < text.size() ? static_cast<unsigned char>(text[pos + i]) : 0;
  };
  const auto continues = [&](size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const uint32_t first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first < 0xF0) {
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) >= 0xA0;
    return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first < 0xF5) {
    const bool overlong = first == 0xF0 && byte(1) < 0x90;
    const bool beyond = first == 0xF4 && byte(1) >= 0x90;
    return continues(1) && continues(2) && continues(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

std::string RepairUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const size_t length = Utf8Length(text, i);
    out += length == 0 ? kUtf8Replacement : text.substr(i, length);
    i += std::max<size_t>(length, 1);
  }
  return out;
}

std::string_view ValidUtf8(std::string_view text, std::string& buffer) {
  if (simdjson::validate_utf8(text.data(), text.size())) return text;
  buffer = RepairUtf8(text);
  return buffer;
}

}  // namespace warpsight
