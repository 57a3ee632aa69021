#include "server/base64.h"

#include <cstdint>

namespace warpsight::server {

std::string Base64(std::string_view bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text((bytes.size() + 2) / 3 * 4, '=');
  char* out = text.data();
  const auto* in = reinterpret_cast<const uint8_t*>(bytes.data());
  size_t left = bytes.size();
  for (; left >= 3; left -= 3, in += 3, out += 4) {
    const uint32_t group = uint32_t{in[0]} << 16 | uint32_t{in[1]} << 8 | in[2];
    out[0] = kDigits[group >> 18];
    out[1] = kDigits[group >> 12 & 63];
    out[2] = kDigits[group >> 6 & 63];
    out[3] = kDigits[group & 63];
  }
  if (left > 0) {
    const uint32_t group = uint32_t{in[0]} << 16 | (left > 1 ? uint32_t{in[1]} << 8 : 0);
    out[0] = kDigits[group >> 18];
    out[1] = kDigits[group >> 12 & 63];
    if (left > 1) out[2] = kDigits[group >> 6 & 63];
  }
  return text;
}

}  // namespace warpsight::server
