#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/units.h"

// A capture file is a header followed by frames, each with a checksum. A file that is truncated at
// any byte is readable up to its last complete frame; a file that is damaged in the middle is
// readable before and after the damage.
namespace warpsight::wire {

inline constexpr uint32_t kVersion = 1;

// The first bytes of a file.
struct FileHeader {
  static constexpr uint64_t kMagic = 0x3150414354505357;  // "WSPTCAP1", little-endian
  uint64_t magic = kMagic;
  uint32_t version = kVersion;
  uint32_t pid = 0;
  uint64_t run = 0;         // the same for all processes of a run
  TimeNs started_unix = 0;  // when recording into the file began
};
static_assert(sizeof(FileHeader) == 32);

enum class FrameType : uint16_t {
  kStrings = 1,  // texts by number; they precede the first frame that refers to them
  kRecords = 2,  // rows of one record type
  kEnd = 3,      // the program ended, and everything was written
};

// Added to the type of a frame whose payload is compressed by zstd.
inline constexpr uint16_t kCompressed = 0x8000;

struct FrameHeader {
  static constexpr uint32_t kMagic = 0xF5A3571C;
  uint32_t magic = kMagic;
  uint16_t type = 0;
  uint16_t record = 0;    // for kRecords: the RecordType
  uint32_t length = 0;    // of the payload as stored, in bytes
  uint32_t sequence = 0;  // number of the frame in the file, from 0
  TimeNs first = 0;       // the earliest and latest time in it
  TimeNs last = 0;
  uint32_t rows = 0;
  uint32_t checksum = 0;  // of the header with this field set to 0, and of the payload
};
static_assert(sizeof(FrameHeader) == 40);

// Completes the header and appends it with the payload.
void AppendFrame(FrameHeader header, std::string_view payload, std::string& out);

struct Frame {
  FrameHeader header;
  std::string_view payload;
};

// Iterates over the frames of a file. Bytes outside frames are skipped and counted.
class FrameReader {
 public:
  explicit FrameReader(std::string_view bytes) : rest_(bytes) {}

  // The next complete frame.
  std::optional<Frame> Next();
  size_t passed_over() const { return passed_over_; }
  // The number of missing frames, according to the sequence numbers of those that were read.
  uint64_t missing() const { return missing_; }

 private:
  std::optional<Frame> FrameAt(std::string_view bytes) const;

  std::string_view rest_;
  size_t passed_over_ = 0;
  uint64_t missing_ = 0;
  uint32_t next_sequence_ = 0;
};

}  // namespace warpsight::wire
