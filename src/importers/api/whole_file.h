#pragma once

#include <span>
#include <string>
#include <utility>

#include "base/result.h"
#include "importers/api/byte_source.h"
#include "importers/api/memory_guard.h"

namespace warpsight {

// All uncompressed bytes of a file at once, for formats that are not read front to back. They are a
// copy in memory, never a mapping: a file that is truncated or overwritten in the meantime cannot
// crash the program.
class WholeFile {
 public:
  // `bytes` must be at its first byte, and the caller must not read from it. Files that exceed the
  // limit of `memory` are rejected; null means no limit.
  WholeFile(std::string path, ByteSource& bytes, const MemoryGuard* memory = nullptr)
      : path_(std::move(path)), bytes_(bytes), memory_(memory) {}
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  // Reads the file at the first call. The caller may write to the bytes: the file does not change.
  Result<std::span<char>> Bytes();

 private:
  Status ReadAll();
  // Makes room for at least one byte after the first `used` bytes.
  Status Grow(size_t used);

  std::string path_;
  ByteSource& bytes_;
  const MemoryGuard* memory_;
  std::span<char> storage_;  // separate pages: growing does not copy them, and none is zeroed twice
  size_t size_ = 0;
  bool read_ = false;
};

}  // namespace warpsight
