#include "wire/frame.h"

#include <algorithm>
#include <cstring>

#include "base/crc32c.h"

namespace warpsight::wire {
namespace {

uint32_t Checksum(FrameHeader header, std::string_view payload) {
  header.checksum = 0;
  const std::string_view bytes(reinterpret_cast<const char*>(&header), sizeof(header));
  return Crc32c(payload, Crc32c(bytes));
}

}  // namespace

void AppendFrame(FrameHeader header, std::string_view payload, std::string& out) {
  header.magic = FrameHeader::kMagic;
  header.length = static_cast<uint32_t>(payload.size());
  header.checksum = Checksum(header, payload);
  out.append(reinterpret_cast<const char*>(&header), sizeof(header));
  out += payload;
}

std::optional<Frame> FrameReader::FrameAt(std::string_view bytes) const {
  Frame frame;
  if (bytes.size() < sizeof(frame.header)) return std::nullopt;
  std::memcpy(&frame.header, bytes.data(), sizeof(frame.header));
  bytes.remove_prefix(sizeof(frame.header));
  if (frame.header.magic != FrameHeader::kMagic || frame.header.length > bytes.size()) {
    return std::nullopt;
  }
  frame.payload = bytes.substr(0, frame.header.length);
  if (Checksum(frame.header, frame.payload) != frame.header.checksum) return std::nullopt;
  return frame;
}

std::optional<Frame> FrameReader::Next() {
  constexpr uint32_t kMagic = FrameHeader::kMagic;
  const std::string_view mark(reinterpret_cast<const char*>(&kMagic), sizeof(kMagic));
  while (!rest_.empty()) {
    if (auto frame = FrameAt(rest_)) {
      rest_.remove_prefix(sizeof(FrameHeader) + frame->payload.size());
      if (frame->header.sequence > next_sequence_) {
        missing_ += frame->header.sequence - next_sequence_;
      }
      next_sequence_ = frame->header.sequence + 1;
      return frame;
    }
    const size_t next = std::min(rest_.find(mark, 1), rest_.size());
    passed_over_ += next;
    rest_.remove_prefix(next);
  }
  return std::nullopt;
}

}  // namespace warpsight::wire
