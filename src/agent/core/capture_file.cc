#include "agent/core/capture_file.h"

#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

#include <cerrno>
#include <cstring>

#include "agent/core/clock.h"

namespace warpsight::agent {

bool CaptureFile::Open() {
  // Process ids are reused, and a process that was recorded may start another program in its place.
  const std::string stem = folder_ + "/" + std::to_string(getpid());
  for (int attempt = 0; attempt < 1000 && file_ < 0; ++attempt) {
    const std::string path = stem + (attempt == 0 ? "" : "-" + std::to_string(attempt)) + ".wscap";
    file_ = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file_ < 0 && errno != EEXIST) return Fail(std::strerror(errno));
  }
  if (file_ < 0) return Fail("too many files of one process");
  wire::FileHeader header;
  header.pid = static_cast<uint32_t>(getpid());
  header.run = run_;
  header.started_unix = UnixNow();
  return WriteAll({reinterpret_cast<const char*>(&header), sizeof(header)});
}

bool CaptureFile::Append(wire::FrameHeader header, std::string_view payload) {
  if (failed_) return false;
  if (file_ < 0 && !Open()) return false;
  if (size_ + payload.size() > limit_) return Fail("the file has reached its limit");
  return WriteFrame(header, payload);
}

bool CaptureFile::AppendAfterFailure(wire::FrameHeader header, std::string_view payload) {
  return file_ >= 0 && WriteFrame(header, payload);
}

bool CaptureFile::WriteFrame(wire::FrameHeader header, std::string_view payload) {
  constexpr size_t kWorthwhile = 256;
  if (compress_ && payload.size() >= kWorthwhile) {
    compressed_.resize(ZSTD_compressBound(payload.size()));
    const size_t size =
        ZSTD_compress(compressed_.data(), compressed_.size(), payload.data(), payload.size(), 1);
    if (ZSTD_isError(size) == 0 && size < payload.size()) {
      payload = std::string_view(compressed_).substr(0, size);
      header.type |= wire::kCompressed;
    }
  }
  header.sequence = next_sequence_;
  frame_.clear();
  wire::AppendFrame(header, payload, frame_);
  if (!WriteAll(frame_)) return false;
  ++next_sequence_;
  return true;
}

bool CaptureFile::WriteAll(std::string_view bytes) {
  const uint64_t before = size_;
  while (!bytes.empty()) {
    const ssize_t written = write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const int error = errno;
      // Half a frame is of no use, and its room may be enough for the last words.
      if (ftruncate(file_, static_cast<off_t>(before)) == 0) {
        lseek(file_, static_cast<off_t>(before), SEEK_SET);
      }
      size_ = before;
      return Fail(std::strerror(error));
    }
    size_ += static_cast<uint64_t>(written);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

bool CaptureFile::Fail(std::string why) {
  failed_ = true;
  if (failure_.empty()) failure_ = std::move(why);
  return false;
}

}  // namespace warpsight::agent
