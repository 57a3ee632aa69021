// Mutates the bytes of a capture file with libFuzzer and then corrects the checksum of every frame,
// because a fuzzer would almost never find a valid one.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "wire/frame.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace warpsight::wire {
namespace {

std::string WithRightChecksums(std::string_view bytes) {
  constexpr uint32_t kMagic = FrameHeader::kMagic;
  const std::string_view mark(reinterpret_cast<const char*>(&kMagic), sizeof(kMagic));
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    FrameHeader header;
    if (bytes.starts_with(mark) && bytes.size() >= sizeof(header)) {
      std::memcpy(&header, bytes.data(), sizeof(header));
      const std::string_view rest = bytes.substr(sizeof(header));
      if (header.length <= rest.size()) {
        AppendFrame(header, rest.substr(0, header.length), out);
        bytes = rest.substr(header.length);
        continue;
      }
    }
    const size_t next = std::min(bytes.find(mark, 1), bytes.size());
    out += bytes.substr(0, next);
    bytes.remove_prefix(next);
  }
  return out;
}

}  // namespace
}  // namespace warpsight::wire

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int /*seed*/) {
  const size_t mutated = LLVMFuzzerMutate(data, size, max_size);
  const std::string bytes =
      warpsight::wire::WithRightChecksums({reinterpret_cast<const char*>(data), mutated});
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}
