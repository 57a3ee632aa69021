#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"

namespace warpsight {

// The files that an import reads, and those that it does not.
struct InputList {
  struct File {
    std::string path;
    bool named;  // given by the user, not found in a folder
  };
  std::vector<File> files;
  std::vector<std::string> left_out;  // "path: reason"
};

// Files as they are given, and those below folders in the order of their names. A trace is read
// once: if a file occurs twice (under two names, as a copy, plain and compressed), one of them is
// left out. Pipes, sockets and devices are read only if they are named. Cancelling ends it with an
// Error "interrupted".
Result<InputList> ListInputs(const std::vector<std::string>& paths, const Progress& progress);

}  // namespace warpsight
