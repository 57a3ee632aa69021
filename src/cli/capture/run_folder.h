#pragma once

#include <string>
#include <utility>

#include "base/descriptor.h"
#include "base/result.h"

namespace warpsight {

// Where the processes of a run write their capture files: a folder beside the profile that will be
// made of them. It is removed with the object unless it was said to be kept.
class RunFolder {
 public:
  // Makes the folder for this profile; another name where an earlier run left something there.
  static Result<RunFolder> Create(const std::string& profile);

  RunFolder(RunFolder&& other) noexcept;
  RunFolder& operator=(RunFolder&&) = delete;
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  ~RunFolder();

  const std::string& path() const { return path_; }
  // Whether any process wrote a capture file; not counting those in the folder below.
  bool HasCaptures() const;
  // Whether one tried, and could not write a byte.
  bool HasEmptyCaptures() const;
  // By the program, perhaps, which tidied up.
  bool WasRemoved() const;
  // A folder in it, for the hardware counters of the same run.
  Result<std::string> MakeCountersFolder() const;
  void Keep() { keep_ = true; }

 private:
  RunFolder(std::string path, Descriptor lock) : path_(std::move(path)), lock_(std::move(lock)) {}

  size_t CountCaptures(bool empty) const;

  std::string path_;
  Descriptor lock_;  // the folder itself, open and locked for this run
  bool keep_ = false;
};

}  // namespace warpsight
