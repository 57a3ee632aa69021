#include "store/held_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

namespace warpsight {
namespace {

Error OpenError(const std::string& path, const char* reason, int code) {
  return Error{fmt::format("cannot open {}: {}", path, reason),
               code == ENOENT || code == ENOTDIR ? "missing" : "unreadable"};
}

}  // namespace

Result<HeldFile> HeldFile::Open(const std::string& path) {
  // O_NONBLOCK: opening a pipe must not wait.
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.ok()) return OpenError(path, std::strerror(errno), errno);
  struct stat status {};
  if (fstat(file.get(), &status) != 0) return OpenError(path, std::strerror(errno), errno);
  if (S_ISDIR(status.st_mode)) return OpenError(path, "it is a directory", EISDIR);
  if (!S_ISREG(status.st_mode)) return OpenError(path, "it is not a regular file", EINVAL);
  return HeldFile(path, std::move(file), StateOf(status));
}

bool HeldFile::WasModified() const {
  struct stat status {};
  return fstat(descriptor_.get(), &status) != 0 || StateOf(status) != state_;
}

std::string PathOfDescriptor(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

}  // namespace warpsight
