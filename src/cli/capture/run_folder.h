#pragma once

#include <string>
#include <utility>

#include "base/descriptor.h"
#include "base/result.h"

namespace warpsight {

// The folder where the processes of a run write their capture files, next to the resulting profile.
// It is removed with the object unless it is marked to be kept.
class RunFolder {
 public:
  // Creates the folder for this profile, under another name if an earlier run left files there.
  static Result<RunFolder> Create(const std::string& profile);

  RunFolder(RunFolder&& other) noexcept;
  RunFolder& operator=(RunFolder&&) = delete;
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  ~RunFolder();

  const std::string& path() const { return path_; }
  // Whether any process wrote a capture file; not counting those in the folder below.
  bool HasCaptures() const;
  // Whether a process tried but could not write a single byte.
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
