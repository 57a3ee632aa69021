#include "base/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace warpsight {

// Unicode 15, table 3-7.
size_t Utf8Length(std::string_view text, size_t pos) {
  const auto within = [&](size_t i, uint8_t low, uint8_t high) {
    if (pos + i >= text.size()) return false;
    const auto byte = static_cast<uint8_t>(text[pos + i]);
    return byte >= low && byte <= high;
  };
  const auto lead = static_cast<uint8_t>(text[pos]);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return within(1, 0x80, 0xBF) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const uint8_t low = lead == 0xE0 ? 0xA0 : 0x80;
    const uint8_t high = lead == 0xED ? 0x9F : 0xBF;
    return within(1, low, high) && within(2, 0x80, 0xBF) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const uint8_t low = lead == 0xF0 ? 0x90 : 0x80;
    const uint8_t high = lead == 0xF4 ? 0x8F : 0xBF;
    return within(1, low, high) && within(2, 0x80, 0xBF) && within(3, 0x80, 0xBF) ? 4 : 0;
  }
  return 0;
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    if (text.size() >= 8) {
      uint64_t eight;
      std::memcpy(&eight, text.data(), sizeof eight);
      if ((eight & 0x8080808080808080) == 0) {
        text.remove_prefix(8);
        continue;
      }
    }
    const size_t length = Utf8Length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

char32_t TakeCharacter(std::string_view& text) {
  const size_t length = Utf8Length(text);
  const auto byte = [&](size_t i) -> char32_t { return static_cast<uint8_t>(text[i]); };
  char32_t value = kReplacementCharacter;
  if (length == 1) {
    value = byte(0);
  } else if (length > 1) {
    value = byte(0) & (0x7Fu >> length);
    for (size_t i = 1; i < length; ++i) value = value << 6 | (byte(i) & 0x3Fu);
  }
  text.remove_prefix(std::max<size_t>(length, 1));
  return value;
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
  if (IsUtf8(text)) return text;
  buffer = RepairUtf8(text);
  return buffer;
}

}  // namespace warpsight
