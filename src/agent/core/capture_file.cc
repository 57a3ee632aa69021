#include "agent/core/capture_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "agent/core/clock.h"

namespace warpsight::agent {

namespace {

// The profile is built from the recording, so it needs space too; and recording must not fill the
// disk of a program that would run without it. On a small file system, half of the free space is
// left to others.
constexpr uint64_t kMaxReservedSpace = uint64_t{1} << 30U;

uint64_t FreeBytes(int file) {
  struct statvfs system {};
  if (fstatvfs(file, &system) != 0) return ~uint64_t{0};
  return static_cast<uint64_t>(system.f_bavail) * system.f_frsize;
}

}  // namespace

// The run's folder belongs to the user who records; any other one was put in its place.
int CaptureFile::OpenFolder() {
  const int folder = open(folder_.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat status {};
  if (folder < 0 || fstat(folder, &status) != 0) {
    Fail(std::strerror(errno));
  } else if (status.st_uid != geteuid()) {
    Fail("the folder for it belongs to another user");
  } else {
    return folder;
  }
  if (folder >= 0) close(folder);
  return -1;
}

bool CaptureFile::Open() {
  const int folder = OpenFolder();
  if (folder < 0) return false;
  // Process ids are reused, and a process that was recorded may start another program in its place.
  const std::string stem = std::to_string(getpid());
  int error = EEXIST;
  for (int attempt = 0; attempt < 1000 && file_ < 0 && error == EEXIST; ++attempt) {
    const std::string name = stem + (attempt == 0 ? "" : "-" + std::to_string(attempt)) + ".wscap";
    file_ = openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    error = errno;
  }
  close(folder);
  if (file_ < 0) return Fail(error == EEXIST ? "too many files of one process" : strerror(error));
  room_to_leave_ = std::min(kMaxReservedSpace, FreeBytes(file_) / 2);
  wire::FileHeader header;
  header.pid = static_cast<uint32_t>(getpid());
  header.run = run_;
  header.started_unix = UnixNow();
  return WriteAll({reinterpret_cast<const char*>(&header), sizeof(header)});
}

bool CaptureFile::Append(wire::FrameHeader header, std::string_view payload) {
  if (failed_) return false;
  if (file_ < 0 && !Open()) return false;
  if (size_ + payload.size() > limit_) return Fail("the file has reached its size limit");
  return MayGrow() && WriteFrame(header, payload);
}

bool CaptureFile::MayGrow() {
  struct stat status {};
  if (fstat(file_, &status) == 0 && status.st_nlink == 0) return Fail("the file was removed");
  if (FreeBytes(file_) < room_to_leave_) return Fail("the disk is almost full");
  return true;
}

bool CaptureFile::AppendAfterFailure(wire::FrameHeader header, std::string_view payload) {
  return file_ >= 0 && WriteFrame(header, payload);
}

bool CaptureFile::WriteFrame(wire::FrameHeader header, std::string_view payload) {
  constexpr size_t kMinSavedBytes = 256;
  if (compress_ && payload.size() >= kMinSavedBytes) {
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
      // A partial frame is useless, and its space may be enough for the final records.
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
