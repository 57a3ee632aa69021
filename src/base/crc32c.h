#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace warpsight {

namespace crc32c {

constexpr std::array<uint32_t, 256> MakeTable() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < table.size(); ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1U) ^ ((value & 1U) * 0x82F63B78U);
    table[i] = value;
  }
  return table;
}

inline constexpr std::array<uint32_t, 256> kTable = MakeTable();

}  // namespace crc32c

// CRC-32C (Castagnoli; RFC 3720, appendix B.4) of `bytes`, continuing from the checksum `before` of
// the bytes in front of them. Table-driven and inline: the agent must run on any x86-64 CPU and has
// no dependencies.
constexpr uint32_t Crc32c(std::string_view bytes, uint32_t before = 0) {
  uint32_t crc = ~before;
  for (const char c : bytes) {
    crc = crc32c::kTable[(crc ^ static_cast<unsigned char>(c)) & 0xFFU] ^ (crc >> 8U);
  }
  return ~crc;
}

}  // namespace warpsight
