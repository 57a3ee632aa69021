#include "cli/capture/run_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

namespace warpsight {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kProfileEnding = ".warpsight";
constexpr std::string_view kCaptureEnding = ".wscap";
// After as many leftovers something else is wrong.
constexpr int kMostNames = 10'000;
// What was recorded says much about the program: it is the user's alone.
constexpr mode_t kPrivate = 0700;

// Not a link to one, either.
bool IsOwnFolder(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid();
}

}  // namespace

Result<RunFolder> RunFolder::Create(const std::string& profile) {
  std::string stem = profile;
  if (stem.ends_with(kProfileEnding)) stem.resize(stem.size() - kProfileEnding.size());
  for (int number = 1; number <= kMostNames; ++number) {
    std::string path = number == 1 ? stem + ".capture" : fmt::format("{}-{}.capture", stem, number);
    // An empty folder of the user's is as good as a new one; what another run made a moment ago is
    // told by mkdir, which succeeds for one of them only.
    if (IsOwnFolder(path)) rmdir(path.c_str());
    if (mkdir(path.c_str(), kPrivate) == 0) {
      if (IsOwnFolder(path)) return RunFolder(std::move(path));
      return Error{fmt::format(
          "{}: on this file system a new folder belongs to somebody else; name another place "
          "with -o",
          path)};
    }
    if (errno != EEXIST) {
      return Error{fmt::format("{}: cannot create the folder: {}; -o names another place", path,
                               std::strerror(errno))};
    }
  }
  return Error{fmt::format("{}.capture: too many folders of earlier runs; remove them", stem)};
}

RunFolder::RunFolder(RunFolder&& other) noexcept
    : path_(std::move(other.path_)), keep_(other.keep_) {
  other.keep_ = true;
}

RunFolder::~RunFolder() {
  if (keep_) return;
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
