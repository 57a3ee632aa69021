#include "importers/api/whole_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace warpsight {
namespace {

constexpr size_t kStep = 4 << 20;

}  // namespace

WholeFile::~WholeFile() {
  if (!mapped_.empty()) munmap(mapped_.data(), mapped_.size());
}

bool WholeFile::Map() {
  const int file = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  struct stat status {};
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
    const auto size = static_cast<size_t>(status.st_size);
    void* at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file, 0);
    if (at != MAP_FAILED) mapped_ = {static_cast<char*>(at), size};
  }
  close(file);
  return !mapped_.empty();
}

Result<std::span<char>> WholeFile::Bytes() {
  if (!read_ && !(bytes_.plain() && Map())) {
    for (size_t size = 0;;) {
      unpacked_.resize(size + kStep);
      auto n = bytes_.Read(unpacked_.data() + size, kStep);
      if (!n.ok()) return n.error();
      size += *n;
      if (*n < kStep) {
        unpacked_.resize(size);
        break;
      }
    }
  }
  read_ = true;
  return mapped_.empty() ? std::span<char>(unpacked_) : mapped_;
}

}  // namespace warpsight
