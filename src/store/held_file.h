#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>

#include "base/descriptor.h"
#include "base/result.h"

namespace warpsight {

// Which file a path leads to, and in which state; changes when the file is replaced or written to.
struct FileIdentity {
  uint64_t device = 0, inode = 0;  // both 0: no file there
  int64_t size = 0;
  int64_t modified_ns = 0;

  static FileIdentity Of(const std::string& path);
  static FileIdentity Of(int descriptor);
  bool operator==(const FileIdentity&) const = default;
};

// A regular file kept open for reading: everything that is read through it comes from the same
// file, also after another one took its place or it was removed. Safe from many threads.
class HeldFile {
 public:
  // The error is one line that names the file; its code is "missing" or "unreadable".
  static Result<HeldFile> Open(const std::string& path);

  int descriptor() const { return descriptor_.get(); }
  const std::string& path() const { return path_; }  // as the user named it
  const FileIdentity& identity() const { return identity_; }

  // Whether its path still leads to the file as it was when it was opened.
  bool IsCurrent() const { return FileIdentity::Of(path_) == identity_; }
  // Whether someone wrote to the file itself since it was opened.
  bool WasModified() const { return FileIdentity::Of(descriptor_.get()) != identity_; }

 private:
  HeldFile(std::string path, int descriptor)
      : path_(std::move(path)), descriptor_(descriptor), identity_(FileIdentity::Of(descriptor)) {}

  std::string path_;
  Descriptor descriptor_;
  FileIdentity identity_;
};

// A path that leads to the open file, whatever happens to its name.
std::string PathOfDescriptor(int descriptor);

}  // namespace warpsight
