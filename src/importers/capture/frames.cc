#include "importers/capture/frames.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpsight::importers::capture {
namespace {

// A writer's frames have some megabytes at most; a larger size is damage.
constexpr uint64_t kLargestPayload = uint64_t{64} << 20;

// 0 if it is missing or implausibly large.
uint64_t UnpackedSize(const wire::Frame& frame) {
  if ((frame.header.type & wire::kCompressed) == 0) return frame.payload.size();
  const unsigned long long size =
      ZSTD_getFrameContentSize(frame.payload.data(), frame.payload.size());
  // ZSTD_getFrameContentSize() returns the two largest numbers as errors.
  return size > kLargestPayload ? 0 : size;
}

}  // namespace

FrameList ListFrames(std::string_view file) {
  FrameList list;
  const std::string_view body = file.substr(std::min(sizeof(wire::FileHeader), file.size()));
  wire::FrameReader reader(body);
  size_t end = 0;
  while (const auto frame = reader.Next()) {
    const auto payload_at = static_cast<size_t>(frame->payload.data() - file.data());
    end = payload_at - (file.size() - body.size()) + frame->payload.size();
    list.frames.push_back({frame->header, frame->payload,
                           static_cast<int64_t>(payload_at - sizeof(wire::FrameHeader)),
                           UnpackedSize(*frame)});
    if (list.frames.back().compressed()) {
      list.unpacked += static_cast<int64_t>(list.frames.back().size);
    }
    list.ended = list.frames.back().type() == wire::FrameType::kEnd;
  }
  list.missing = reader.missing();
  list.passed_over = reader.passed_over();
  const std::string_view tail = body.substr(end);
  if (tail.find_first_not_of('\0') == std::string_view::npos) {
    list.unused_tail = tail.size();
    list.passed_over -= tail.size();
  }
  return list;
}

Result<std::string_view> Unpacker::Unpack(const PackedFrame& frame, std::string& buffer) {
  if (!frame.compressed()) return frame.payload;
  if (frame.size == 0) {
    return Error{fmt::format("a frame without its uncompressed size, or with more than {} bytes",
                             kLargestPayload)};
  }
  if (context_ == nullptr) context_.reset(ZSTD_createDCtx());
  buffer.resize(frame.size);
  const size_t unpacked = ZSTD_decompressDCtx(context_.get(), buffer.data(), buffer.size(),
                                              frame.payload.data(), frame.payload.size());
  if (ZSTD_isError(unpacked) != 0 || unpacked != frame.size) {
    return Error{"a frame that cannot be decompressed"};
  }
  return std::string_view(buffer);
}

}  // namespace warpsight::importers::capture
