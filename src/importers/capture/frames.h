#pragma once

#include <zstd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/frame.h"
#include "wire/records.h"

namespace warpsight::importers::capture {

// A frame as stored in the file.
struct PackedFrame {
  wire::FrameHeader header;
  std::string_view payload;
  int64_t offset;
  uint64_t size;  // uncompressed, as recorded; 0 if that is impossible

  wire::FrameType type() const {
    return static_cast<wire::FrameType>(header.type & ~wire::kCompressed);
  }
  wire::RecordType record() const { return static_cast<wire::RecordType>(header.record); }
  bool compressed() const { return (header.type & wire::kCompressed) != 0; }
};

// All complete frames of a file, and the bytes between them.
struct FrameList {
  std::vector<PackedFrame> frames;
  uint64_t missing = 0;    // according to the sequence numbers
  size_t passed_over = 0;  // bytes that do not belong to a complete frame
  int64_t unpacked = 0;    // the recorded uncompressed sizes of compressed frames
  size_t unused_tail = 0;  // zeros at the end: space that the writer preallocated and did not use
  bool ended = false;      // there is a frame of type kEnd
};

FrameList ListFrames(std::string_view file);

// Decompresses payloads. Used by one thread.
class Unpacker {
 public:
  // Returns the payload of a frame, in the file or in `buffer`. The Error says what is wrong with
  // the frame.
  Result<std::string_view> Unpack(const PackedFrame& frame, std::string& buffer);

 private:
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  std::unique_ptr<ZSTD_DCtx, Free> context_;
};

}  // namespace warpsight::importers::capture
