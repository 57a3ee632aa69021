#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/output_place.h"
#include "base/result.h"
#include "base/unfinished_folder.h"

namespace warpsight {

// A file that appears complete or not at all: written in a private folder beside its place, moved
// there by Commit() and removed where that was not reached. Standard output ("-"), devices and
// pipes are written to directly.
class OutputFile {
 public:
  static Result<OutputFile> Create(const std::string& path, const OutputRules& rules,
                                   const OutputKind& kind);
  // A new file of a folder that is itself unfinished. Errors call it `path`, where it will be.
  static Result<OutputFile> CreatePart(const std::string& unfinished, const std::string& path);
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
  std::optional<OutputPlace> place_;  // of a file that is moved there
  std::optional<UnfinishedFolder> folder_;
  std::FILE* file_;
  int failure_ = 0;  // errno
  int64_t bytes_ = 0;
};

// "run.json: cannot write: No space left on device".
Error CannotWrite(const std::string& path, const Error& reason);

}  // namespace warpsight
