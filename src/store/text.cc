#include "store/text.h"

#include <cstdint>
#include <cstring>

namespace warpsight::store {
namespace {

// Length of the valid UTF-8 sequence at the start of `text`, or 0 (Unicode 15, table 3-7).
size_t SequenceLength(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const auto within = [&](size_t i, uint8_t low, uint8_t high) {
    return i < text.size() && byte(i) >= low && byte(i) <= high;
  };
  const uint8_t lead = byte(0);
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

}  // namespace

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
    const size_t length = SequenceLength(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string ReplaceInvalidUtf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t length = SequenceLength(text);
    out += length == 0 ? std::string_view("\xEF\xBF\xBD") : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string ReasonOf(std::string_view message, std::string_view path) {
  if (message.find("Could not read enough bytes") != std::string_view::npos ||
      message.find("attempted to read") != std::string_view::npos) {
    return "it is cut short";
  }
  if (message.find("does not match stored checksum") != std::string_view::npos) {
    const size_t place = message.find("in block at location");
    return "wrong checksum" +
           (place == std::string_view::npos ? "" : " " + std::string(message.substr(place)));
  }
  // 'IO Error: Could not write file "/x/y": No space left on device'
  const std::string quoted = '"' + std::string(path);
  size_t name = message.find(quoted);
  // The file may have been opened through its descriptor.
  if (name == std::string_view::npos) name = message.find("\"/proc/self/fd/");
  if (name != std::string_view::npos) {
    const size_t colon = message.find("\": ", name);
    if (colon != std::string_view::npos) return std::string(message.substr(colon + 3));
  }
  const size_t kind = message.find(" Error: ");
  if (kind != std::string_view::npos && kind < 30) message.remove_prefix(kind + 8);
  return std::string(message);
}

}  // namespace warpsight::store
