#include "server/export/memory_file.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace warpsight::server {
namespace {

Error Failed(std::string_view what) {
  return Error{fmt::format("a file in memory could not be {}: {}", what, std::strerror(errno))};
}

}  // namespace

MemoryFile::~MemoryFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

Status MemoryFile::Open() {
  descriptor_ = memfd_create("warpsight-export", MFD_CLOEXEC);
  if (descriptor_ < 0) return Failed("made");
  path_ = fmt::format("/proc/self/fd/{}", descriptor_);
  return {};
}

Status MemoryFile::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return Failed("written");
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

Result<std::string> MemoryFile::Read() const {
  struct stat about {};
  if (fstat(descriptor_, &about) != 0) return Failed("read");
  std::string bytes(static_cast<size_t>(about.st_size), '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got =
        pread(descriptor_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Failed("read");
    done += static_cast<size_t>(got);
  }
  return bytes;
}

}  // namespace warpsight::server
