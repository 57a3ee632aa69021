#include "importers/api/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/file_id.h"

namespace warpsight {
namespace {

// A read() of this size takes a few milliseconds at most, so that Ctrl-C takes effect quickly.
constexpr size_t kLargestRead = size_t{8} << 20;
constexpr int kPollMilliseconds = 100;

Status CheckKind(const std::string& path, const struct stat& info) {
  if (S_ISREG(info.st_mode) || S_ISFIFO(info.st_mode)) return {};
  if (S_ISDIR(info.st_mode)) return Error{fmt::format("{}: is a directory, not a file", path)};
  return Error{
      fmt::format("{}: is a {}, not a file", path, S_ISSOCK(info.st_mode) ? "socket" : "device")};
}

}  // namespace

Result<std::unique_ptr<InputFile>> InputFile::Open(const std::string& path,
                                                   const Progress* progress) {
  const auto failed = [&] {
    return Error{fmt::format("{}: cannot open: {}", path, std::strerror(errno))};
  };
  struct stat info {};
  // Check before opening: opening a device can have an effect, such as rewinding a tape.
  if (stat(path.c_str(), &info) != 0) return failed();
  if (Status status = CheckKind(path, info); !status.ok()) return status.error();
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return failed();
  std::unique_ptr<InputFile> file(new InputFile(descriptor, info, path, progress));
  if (fstat(descriptor, &file->opened_) != 0) return failed();
  if (Status status = CheckKind(path, file->opened_); !status.ok()) return status.error();
  posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
  return file;
}

InputFile::~InputFile() { close(descriptor_); }

// A pipe without a writer reads as empty until the first writer opens it; poll() waits for that.
bool InputFile::IsReadable() const {
  if (!is_pipe()) return true;
  pollfd events{descriptor_, POLLIN, 0};
  return poll(&events, 1, kPollMilliseconds) > 0;
}

Result<size_t> InputFile::Read(char* buffer, size_t size) {
  size_t total = 0;
  while (total < size) {
    if (Cancelled()) return Error{"interrupted"};
    if (!IsReadable()) continue;
    const ssize_t n = read(descriptor_, buffer + total, std::min(size - total, kLargestRead));
    if (n < 0) {
      if (errno == EINTR || errno == EAGAIN) continue;
      return Error{fmt::format("{}: cannot read: {}", path_, std::strerror(errno))};
    }
    if (n == 0) {
      if (Status status = CheckEnd(); !status.ok()) return status.error();
      break;
    }
    total += static_cast<size_t>(n);
    consumed_ += n;
  }
  return total;
}

Status InputFile::CheckEnd() const {
  struct stat now {};
  if (!S_ISREG(opened_.st_mode) || consumed_ >= size() || fstat(descriptor_, &now) != 0) return {};
  if (now.st_size >= opened_.st_size) return {};
  return Error{fmt::format("{}: the file shrank while it was read ({} of {} bytes)", path_,
                           consumed_, size())};
}

std::string InputFile::Change() const {
  struct stat now {};
  if (!S_ISREG(opened_.st_mode) || fstat(descriptor_, &now) != 0) return {};
  if (StateOf(now) == StateOf(opened_)) return {};
  return fmt::format("{}: the file changed while it was read: {} bytes before, {} after", path_,
                     opened_.st_size, now.st_size);
}

}  // namespace warpsight
