#include "exporters/api/unpacked_head.h"

#include <cstdint>
#include <string_view>

#include <isa-l/igzip_lib.h>

#include "base/output_place.h"

namespace warpsight {
namespace {

constexpr std::string_view kGzipMagic = "\x1f\x8b";
// Compressed data is larger than its content by at most about this much.
constexpr size_t kFrameBytes = 4096;

}  // namespace

std::string ReadUnpackedHead(const std::string& path, size_t most) {
  std::string packed = ReadHead(path, most + kFrameBytes);
  if (!packed.starts_with(kGzipMagic)) return packed.substr(0, most);
  inflate_state state;
  isal_inflate_init(&state);
  state.crc_flag = ISAL_GZIP;
  state.next_in = reinterpret_cast<uint8_t*>(packed.data());
  state.avail_in = static_cast<uint32_t>(packed.size());
  std::string head(most, '\0');
  state.next_out = reinterpret_cast<uint8_t*>(head.data());
  state.avail_out = static_cast<uint32_t>(head.size());
  isal_inflate(&state);
  head.resize(head.size() - state.avail_out);
  return head;
}

}  // namespace warpsight
