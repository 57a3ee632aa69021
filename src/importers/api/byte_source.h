#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/progress.h"
#include "base/result.h"

namespace warpsight {

// A file that decompresses to more than this many times its size was made to exhaust memory or
// time: traces compress to a tenth, some to a fiftieth, since every record has a different time.
inline constexpr int64_t kLargestUnpackRatio = 250;

// Whether the ratio of these sizes is higher than traces reach. Short files of one repeated record
// are harmless.
inline bool UnpacksTooFar(int64_t packed, int64_t unpacked) {
  constexpr int64_t kAnyRatio = int64_t{256} << 20;
  return unpacked > kAnyRatio && unpacked / kLargestUnpackRatio > packed;
}

// The uncompressed bytes of a file, from front to back. Plain, gzip (also with several members) and
// zstd files are detected by content. Used by one thread at a time.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Reads up to `size` bytes; fewer only at the end, and 0 if nothing is left. After damage in the
  // compressed data it returns what could still be read, then ends; damage() says why.
  virtual Result<size_t> Read(char* buffer, size_t size) = 0;

  // Whether the file is not compressed, so that these are its bytes on disk.
  virtual bool plain() const { return false; }
  // Why the data ended early ("gzip data ends early"), or empty.
  virtual std::string damage() const { return {}; }
  // How the file changed since it was opened, with its name; or empty.
  virtual std::string change() const { return {}; }
  // Bytes read from the file so far, and its size, for progress.
  virtual int64_t consumed() const = 0;
  virtual int64_t file_size() const = 0;
};

// Bytes in memory, which must outlive it.
class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes) {}

  Result<size_t> Read(char* buffer, size_t size) override {
    const size_t n = bytes_.copy(buffer, size, used_);
    used_ += n;
    return n;
  }
  int64_t consumed() const override { return static_cast<int64_t>(used_); }
  int64_t file_size() const override { return static_cast<int64_t>(bytes_.size()); }

 private:
  std::string_view bytes_;
  size_t used_ = 0;
};

// Errors name the file and the reason: missing, a directory or device, no permission. `progress`
// may be null; reading ends with an Error "interrupted" when it is cancelled.
Result<std::unique_ptr<ByteSource>> OpenBytes(const std::string& path,
                                              const Progress* progress = nullptr);

}  // namespace warpsight
