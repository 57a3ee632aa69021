#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"

namespace warpsight {

// The uncompressed bytes of a file, front to back. Plain, gzip (also several members) and zstd files
// are told apart by their content. Used by one thread at a time.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Reads up to `size` bytes; fewer only at the end, 0 when nothing is left. After damage in the
  // compressed data it returns what could still be read, then ends; damage() tells.
  virtual Result<size_t> Read(char* buffer, size_t size) = 0;

  // What cut the data short ("gzip stream ends early"), or empty.
  virtual std::string damage() const { return {}; }
  // Bytes taken from the file so far, and its size: for progress.
  virtual int64_t consumed() const = 0;
  virtual int64_t file_size() const = 0;
};

// Errors name the file and the reason: missing, a directory, no permission.
Result<std::unique_ptr<ByteSource>> OpenBytes(const std::string& path);

}  // namespace warpsight
