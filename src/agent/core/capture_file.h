#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "wire/frame.h"

namespace warpsight::agent {

// The file of one process. Written data survives the process, however it ends, because it is in the
// kernel immediately. One thread uses it, with its own descriptor table (UseOwnDescriptorTable): in
// the program's table, the program could put another file under the same number at any time.
class CaptureFile {
 public:
  // `limit`: bytes, after which nothing more is written.
  CaptureFile(std::string folder, uint64_t run, uint64_t limit, bool compress = true)
      : folder_(std::move(folder)), run_(run), limit_(limit), compress_(compress) {}
  CaptureFile(const CaptureFile&) = delete;
  CaptureFile& operator=(const CaptureFile&) = delete;

  // Appends one frame, compressed where that is shorter. Once false, always false: see failure().
  bool Append(wire::FrameHeader header, std::string_view payload);
  // For the final records after a failure: these may exceed the limit.
  bool AppendAfterFailure(wire::FrameHeader header, std::string_view payload);
  // From here on nothing is written.
  bool Fail(std::string why);

  bool failed() const { return failed_; }
  const std::string& failure() const { return failure_; }
  uint64_t size() const { return size_; }

 private:
  bool Open();
  int OpenFolder();
  // Whether the file still has its name, and its file system has space for other files.
  bool MayGrow();
  bool WriteFrame(wire::FrameHeader header, std::string_view payload);
  bool WriteAll(std::string_view bytes);

  std::string folder_;
  uint64_t run_;
  uint64_t limit_;
  bool compress_;
  int file_ = -1;
  uint64_t size_ = 0;
  uint64_t room_to_leave_ = 0;
  uint32_t next_sequence_ = 0;
  bool failed_ = false;
  std::string failure_;
  std::string compressed_, frame_;  // reused
};

}  // namespace warpsight::agent
