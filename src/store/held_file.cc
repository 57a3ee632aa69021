#include "store/held_file.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace warpsight {
namespace {

FileIdentity IdentityOf(const struct stat& status) {
  constexpr int64_t kNanoseconds = 1'000'000'000;
  return {status.st_dev, status.st_ino, status.st_size,
          status.st_mtim.tv_sec * kNanoseconds + status.st_mtim.tv_nsec};
}

Error OpenError(const std::string& path, const char* reason, int code) {
  return Error{fmt::format("cannot open {}: {}", path, reason),
               code == ENOENT || code == ENOTDIR ? "missing" : "unreadable"};
}

}  // namespace

FileIdentity FileIdentity::Of(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? IdentityOf(status) : FileIdentity{};
}

FileIdentity FileIdentity::Of(int descriptor) {
  struct stat status {};
  return fstat(descriptor, &status) == 0 ? IdentityOf(status) : FileIdentity{};
}

Result<HeldFile> HeldFile::Open(const std::string& path) {
  // Without waiting, should it be a pipe.
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return OpenError(path, std::strerror(errno), errno);
  HeldFile file(path, descriptor);
  struct stat status {};
  if (fstat(descriptor, &status) != 0) return OpenError(path, std::strerror(errno), errno);
  if (S_ISDIR(status.st_mode)) return OpenError(path, "it is a directory", EISDIR);
  if (!S_ISREG(status.st_mode)) return OpenError(path, "it is not a regular file", EINVAL);
  return file;
}

std::string PathOfDescriptor(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

}  // namespace warpsight
