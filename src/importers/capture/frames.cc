#include "importers/capture/frames.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpsight::importers::capture {
namespace {

// A writer fills frames of some megabytes at most; a size beyond this is damage.
constexpr uint64_t kLargestPayload = uint64_t{64} << 20;

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
                           static_cast<int64_t>(payload_at - sizeof(wire::FrameHeader))});
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
  const unsigned long long size =
      ZSTD_getFrameContentSize(frame.payload.data(), frame.payload.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) {
    return Error{"a frame that does not say how large it is unpacked"};
  }
  if (size > kLargestPayload) {
    return Error{fmt::format("a frame of {} bytes unpacked, more than any writer puts in", size)};
  }
  if (context_ == nullptr) context_.reset(ZSTD_createDCtx());
  buffer.resize(size);
  const size_t unpacked = ZSTD_decompressDCtx(context_.get(), buffer.data(), buffer.size(),
                                              frame.payload.data(), frame.payload.size());
  if (ZSTD_isError(unpacked) != 0 || unpacked != size) {
    return Error{"a frame that cannot be unpacked"};
  }
  return std::string_view(buffer);
}

}  // namespace warpsight::importers::capture
