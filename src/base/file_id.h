#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>

namespace warpsight {

// Which file it is, whatever its names are.
struct FileId {
  dev_t device = 0;
  ino_t inode = 0;

  friend bool operator==(const FileId& a, const FileId& b) {
    return a.device == b.device && a.inode == b.inode;
  }
};

inline FileId IdOf(const struct stat& status) { return {status.st_dev, status.st_ino}; }

// The file or folder to which `path` leads, through links; nothing where it leads to none.
inline std::optional<FileId> FindFile(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  return IdOf(status);
}

}  // namespace warpsight
