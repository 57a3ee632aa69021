#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

namespace warpsight {

// The identity of a file, independent of its names.
struct FileId {
  dev_t device = 0;
  ino_t inode = 0;

  bool operator==(const FileId&) const = default;
  bool operator<(const FileId& other) const {
    return std::tie(device, inode) < std::tie(other.device, other.inode);
  }
};

// The identity and state of a file: changes when the file is replaced or written to.
struct FileState {
  FileId file;
  int64_t size = 0;
  int64_t modified_ns = 0;

  bool operator==(const FileState&) const = default;
};

inline FileId IdOf(const struct stat& status) { return {status.st_dev, status.st_ino}; }

inline FileState StateOf(const struct stat& status) {
  // Unsigned, so that a time after the year 2262, which files may have, wraps around.
  constexpr uint64_t kNanoseconds = 1'000'000'000;
  const uint64_t modified = static_cast<uint64_t>(status.st_mtim.tv_sec) * kNanoseconds +
                            static_cast<uint64_t>(status.st_mtim.tv_nsec);
  return {IdOf(status), status.st_size, static_cast<int64_t>(modified)};
}

// The file or folder that `path` refers to, following links; nullopt if there is none.
inline std::optional<FileState> FindState(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  return StateOf(status);
}
inline std::optional<FileId> FindFile(const std::string& path) {
  const auto state = FindState(path);
  if (!state) return std::nullopt;
  return state->file;
}

}  // namespace warpsight
