#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace warpsight::server {

// A file in memory with a path in this process, for libraries that only read or write files.
// Removed with the object.
class MemoryFile {
 public:
  MemoryFile() = default;
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  Status Open();
  const std::string& path() const { return path_; }
  Status Write(std::string_view bytes);
  // Everything that was written, through this object or through the path.
  Result<std::string> Read() const;

 private:
  int descriptor_ = -1;
  std::string path_;
};

}  // namespace warpsight::server
