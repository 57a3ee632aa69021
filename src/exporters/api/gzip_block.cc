#include "exporters/api/gzip_block.h"

#include <isa-l/igzip_lib.h>

#include <cstdint>
#include <vector>

namespace warpsight {

std::string GzipBlock(std::string_view bytes) {
  isal_zstream stream;
  isal_deflate_init(&stream);
  std::vector<uint8_t> memory(ISAL_DEF_LVL2_DEFAULT);
  stream.level = 2;
  stream.level_buf = memory.data();
  stream.level_buf_size = static_cast<uint32_t>(memory.size());
  stream.gzip_flag = IGZIP_GZIP;
  stream.end_of_stream = 1;
  stream.flush = NO_FLUSH;
  // ISA-L takes the input as writable, but only reads it.
  stream.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uint32_t>(bytes.size());
  std::string compressed(bytes.size() / 8 + 4096, '\0');
  size_t size = 0;
  do {
    if (size == compressed.size()) compressed.resize(2 * size);
    stream.next_out = reinterpret_cast<uint8_t*>(compressed.data() + size);
    stream.avail_out = static_cast<uint32_t>(compressed.size() - size);
    isal_deflate(&stream);
    size = compressed.size() - stream.avail_out;
  } while (stream.avail_out == 0);
  compressed.resize(size);
  return compressed;
}

}  // namespace warpsight
