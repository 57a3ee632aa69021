#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/progress.h"
#include "base/result.h"

namespace warpsight {

// A file or pipe that is read from front to back, by one thread at a time. It is never
// memory-mapped: a file that is truncated while it is read causes an error instead of a signal.
class InputFile {
 public:
  // Errors name the file and the reason: missing, a folder, a device, no permission. Opening a pipe
  // does not wait for its writer. `progress` may be null; reading stops when it is cancelled.
  static Result<std::unique_ptr<InputFile>> Open(const std::string& path, const Progress* progress);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  // Reads `size` bytes, fewer only at the end. Returns the Error "interrupted" when cancelled, and
  // an Error that names the file if the file ends before its original size.
  Result<size_t> Read(char* buffer, size_t size);

  // How the file changed since it was opened, with its name; or empty.
  std::string Change() const;

  const std::string& path() const { return path_; }
  bool is_pipe() const { return S_ISFIFO(opened_.st_mode); }
  int64_t size() const { return static_cast<int64_t>(opened_.st_size); }  // when it was opened
  int64_t consumed() const { return consumed_; }

 private:
  InputFile(int descriptor, const struct stat& opened, std::string path, const Progress* progress)
      : descriptor_(descriptor), opened_(opened), path_(std::move(path)), progress_(progress) {}

  bool Cancelled() const { return progress_ != nullptr && progress_->cancelled(); }
  // Whether read() would return bytes or the end (the last writer closed the pipe). Waits a short
  // time.
  bool IsReadable() const;
  Status CheckEnd() const;

  int descriptor_;
  struct stat opened_;
  std::string path_;
  const Progress* progress_;
  int64_t consumed_ = 0;
};

}  // namespace warpsight
