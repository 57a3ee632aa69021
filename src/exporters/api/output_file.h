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

// A file that is written atomically: in a private folder next to its destination, moved there by
// Commit(), and removed if Commit() is not called. Standard output ("-"), devices and pipes are
// written directly.
class OutputFile {
 public:
  static Result<OutputFile> Create(const std::string& path, const OutputRules& rules,
                                   const OutputKind& kind);
  // Creates a file in an unfinished folder. Error messages contain `path`, its final place.
  static Result<OutputFile> CreatePart(const std::string& unfinished, const std::string& path);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  // After the first failure, which is kept, nothing more is written.
  void Write(std::string_view bytes);
  bool ok() const { return failure_ == 0; }
  int64_t bytes() const { return bytes_; }
  Status Commit();

 private:
  OutputFile(std::string path, std::FILE* file) : path_(std::move(path)), file_(file) {}
  bool standard_output() const { return path_ == "-"; }

  std::string path_;
  std::optional<OutputPlace> place_;  // for a file that is moved into place
  std::optional<UnfinishedFolder> folder_;
  std::FILE* file_;
  int failure_ = 0;  // errno
  int64_t bytes_ = 0;
};

// "run.json: cannot write: No space left on device".
Error CannotWrite(const std::string& path, const Error& reason);

}  // namespace warpsight
