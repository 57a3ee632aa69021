#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "base/result.h"

namespace warpsight {

// A file that appears complete or not at all: written beside its place under another name, renamed
// by Commit() and removed where that was not reached. "-" is standard output.
class OutputFile {
 public:
  static Result<OutputFile> Create(const std::string& path);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  // Keeps the first failure; what follows it is not written.
  void Write(std::string_view bytes);
  bool ok() const { return failure_ == 0; }
  int64_t bytes() const { return bytes_; }
  Status Commit();

 private:
  OutputFile(std::string path, std::FILE* file) : path_(std::move(path)), file_(file) {}
  bool standard_output() const { return path_ == "-"; }

  std::string path_;
  std::FILE* file_;
  int failure_ = 0;  // errno
  int64_t bytes_ = 0;
};

// The name under which a file or folder is written before it takes its place.
std::string UnfinishedName(const std::string& path);

// "run.json: cannot write: No space left on device".
Error CannotWrite(const std::string& path, const std::string& reason);

}  // namespace warpsight
