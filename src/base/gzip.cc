#include "base/gzip.h"

#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <cstdint>
#include <memory>

namespace warpsight {

namespace {

constexpr size_t kBlock = 256 * 1024;

// More than a deflate stream of so many bytes takes, or a block of it.
size_t BlockFor(size_t bytes) { return std::min(kBlock, bytes + bytes / 8 + 1024); }

}  // namespace

std::string Gzip(std::string_view bytes, GzipLevel level) {
  const bool small = level == GzipLevel::kSmall;
  isal_zstream stream;
  isal_deflate_init(&stream);
  // Neither this memory nor the block below is cleared: for a tile of a timeline, a few kB, that
  // took longer than compressing it.
  const uint32_t memory_size = small ? ISAL_DEF_LVL2_DEFAULT : ISAL_DEF_LVL1_DEFAULT;
  const auto memory = std::make_unique_for_overwrite<uint8_t[]>(memory_size);
  stream.level = small ? 2 : 1;
  stream.level_buf = memory.get();
  stream.level_buf_size = memory_size;
  stream.gzip_flag = IGZIP_GZIP;
  stream.end_of_stream = 1;
  stream.flush = NO_FLUSH;
  // ISA-L declares the input as writable but only reads it.
  stream.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uint32_t>(bytes.size());
  std::string compressed;
  const size_t block_size = BlockFor(bytes.size());
  const auto block = std::make_unique_for_overwrite<char[]>(block_size);
  do {
    stream.next_out = reinterpret_cast<uint8_t*>(block.get());
    stream.avail_out = static_cast<uint32_t>(block_size);
    isal_deflate(&stream);
    compressed.append(block.get(), block_size - stream.avail_out);
  } while (stream.avail_out == 0);
  return compressed;
}

std::string Gunzip(std::string_view bytes) {
  inflate_state state;
  isal_inflate_init(&state);
  state.crc_flag = ISAL_GZIP;
  state.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(bytes.data()));
  state.avail_in = static_cast<uint32_t>(bytes.size());
  std::string plain;
  std::string block(kBlock, '\0');
  do {
    state.next_out = reinterpret_cast<uint8_t*>(block.data());
    state.avail_out = static_cast<uint32_t>(block.size());
    if (isal_inflate(&state) != ISAL_DECOMP_OK) break;
    plain.append(block.data(), block.size() - state.avail_out);
    // If the input ends early, no more output can come.
  } while (state.block_state != ISAL_BLOCK_FINISH && state.avail_out == 0);
  return plain;
}

}  // namespace warpsight
