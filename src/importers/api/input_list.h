#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"

namespace warpsight {

// The files that an import reads, and those that it leaves out.
struct InputList {
  struct File {
    std::string path;
    bool named;  // given by the user, not found in a folder
  };
  std::vector<File> files;
  std::vector<std::string> left_out;  // "path: reason"
};

// Lists files in the given order, and those in folders and their subfolders by name. A trace is
// read once: if it occurs several times (under two names, as a copy, plain and compressed), the
// others are left out. Pipes, sockets and devices are read only if they are named. Returns the
// Error "interrupted" when cancelled.
Result<InputList> ListInputs(const std::vector<std::string>& paths, const Progress& progress);

}  // namespace warpsight
