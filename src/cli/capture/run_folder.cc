#include "cli/capture/run_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/file_id.h"

namespace warpsight {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kProfileEnding = ".warpsight";
constexpr std::string_view kCaptureEnding = ".wscap";
// With this many leftovers, something else is wrong.
constexpr int kMaxNames = 10'000;
// Recordings may contain private data: only the user can read them.
constexpr mode_t kPrivate = 0700;

// Not a link to one, either.
bool IsOwnFolder(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid();
}

// The folder, open and locked; nothing where another run has it. On a file system without such
// locks only a new folder is certain to be of no other run.
Descriptor Lock(const std::string& path, bool is_new) {
  Descriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.ok()) return {};
  const bool locked = flock(folder.get(), LOCK_EX | LOCK_NB) == 0;
  if (!locked && (errno == EWOULDBLOCK || !is_new)) return {};
  struct stat status {};
  const bool still_there = fstat(folder.get(), &status) == 0 && FindFile(path) == IdOf(status);
  return still_there ? std::move(folder) : Descriptor();
}

}  // namespace

Result<RunFolder> RunFolder::Create(const std::string& profile) {
  std::string stem = profile;
  if (stem.ends_with(kProfileEnding)) stem.resize(stem.size() - kProfileEnding.size());
  for (int number = 1; number <= kMaxNames; ++number) {
    std::string path = number == 1 ? stem + ".capture" : fmt::format("{}-{}.capture", stem, number);
    // The empty folder of a run that is over is as good as a new one. The folder of a run that has
    // just begun is empty, too, but locked, or will be found locked by that run itself.
    const bool is_new = mkdir(path.c_str(), kPrivate) == 0;
    if (!is_new && errno != EEXIST) {
      return Error{fmt::format("{}: cannot create the folder: {}; choose another path with -o",
                               path, std::strerror(errno))};
    }
    if (is_new && !IsOwnFolder(path)) {
      return Error{
          fmt::format("{}: on this file system, new folders belong to another user; choose another "
                      "path with -o",
                      path)};
    }
    if (!IsOwnFolder(path)) continue;
    Descriptor lock = Lock(path, is_new);
    std::error_code ignored;
    if (!lock.ok() || !fs::is_empty(path, ignored)) continue;
    if (fchmod(lock.get(), kPrivate) != 0) continue;
    return RunFolder(std::move(path), std::move(lock));
  }
  return Error{fmt::format("{}.capture: too many folders of earlier runs; remove them", stem)};
}

RunFolder::RunFolder(RunFolder&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::move(other.lock_)), keep_(other.keep_) {
  other.keep_ = true;
}

RunFolder::~RunFolder() {
  if (keep_) return;
  struct stat status {};
  if (fstat(lock_.get(), &status) != 0 || FindFile(path_) != IdOf(status)) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

Result<std::string> RunFolder::MakeCountersFolder() const {
  std::string path = path_ + "/counters";
  if (mkdir(path.c_str(), kPrivate) == 0) return path;
  return Error{fmt::format("{}: cannot create the folder: {}", path, std::strerror(errno))};
}

bool RunFolder::WasRemoved() const { return !IsOwnFolder(path_); }

bool RunFolder::HasCaptures() const { return CountCaptures(false) > 0; }

bool RunFolder::HasEmptyCaptures() const { return CountCaptures(true) > 0; }

size_t RunFolder::CountCaptures(bool empty) const {
  size_t count = 0;
  std::error_code error;
  for (fs::directory_iterator it(path_, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    const bool is_empty = it->file_size(ignored) == 0;
    if (it->path().native().ends_with(kCaptureEnding) && is_empty == empty) ++count;
  }
  return count;
}

}  // namespace warpsight
