#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace warpsight {

// A folder whose new files appear together or not at all: they are written into a folder beside it,
// whose files Commit() moves to their places. Other files that are there already stay.
class OutputFolder {
 public:
  static Result<OutputFolder> Create(const std::string& path);
  OutputFolder(OutputFolder&& other) noexcept
      : path_(std::exchange(other.path_, {})), unfinished_(std::exchange(other.unfinished_, {})) {}
  OutputFolder& operator=(OutputFolder&&) = delete;
  ~OutputFolder();

  // Where to write a file for now; `name` may begin with folders, which are made.
  Result<std::string> Place(const std::string& name);
  // Where everything is written for now.
  const std::string& unfinished() const { return unfinished_; }

  struct Content {
    size_t files = 0;
    int64_t bytes = 0;
  };
  Result<Content> Commit();

 private:
  OutputFolder(std::string path, std::string unfinished)
      : path_(std::move(path)), unfinished_(std::move(unfinished)) {}

  std::string path_;
  std::string unfinished_;
};

}  // namespace warpsight
