#pragma once

#include <string>
#include <utility>

#include "base/descriptor.h"
#include "base/file_id.h"
#include "base/result.h"

namespace warpsight {

// A regular file kept open for reading: all reads come from the same file, even after it is
// replaced or removed. Safe from many threads.
class HeldFile {
 public:
  // The error is one line that names the file; its code is "missing" or "unreadable".
  static Result<HeldFile> Open(const std::string& path);

  int descriptor() const { return descriptor_.get(); }
  const std::string& path() const { return path_; }  // as given by the user
  const FileState& state() const { return state_; }  // at the time when it was opened

  // Whether the path still leads to this file, unchanged since it was opened.
  bool IsCurrent() const { return FindState(path_) == state_; }
  // Whether this file itself was written to since it was opened.
  bool WasModified() const;

 private:
  HeldFile(std::string path, Descriptor descriptor, const FileState& state)
      : path_(std::move(path)), descriptor_(std::move(descriptor)), state_(state) {}

  std::string path_;
  Descriptor descriptor_;
  FileState state_;
};

// A path to the open file that stays valid if the file is renamed or removed.
std::string PathOfDescriptor(int descriptor);

}  // namespace warpsight
