#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "importers/api/byte_source.h"

namespace warpsight {

// All uncompressed bytes of a file at once, for formats that are not read front to back. A plain
// file is mapped, so that only what is looked at takes memory; a compressed one is unpacked.
class WholeFile {
 public:
  // `bytes` is at its first byte. Whoever asks for the whole does not read from it.
  WholeFile(std::string path, ByteSource& bytes) : path_(std::move(path)), bytes_(bytes) {}
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  // Read when first asked for. May be written to: the file does not change.
  Result<std::span<char>> Bytes();

 private:
  bool Map();

  std::string path_;
  ByteSource& bytes_;
  std::string unpacked_;
  std::span<char> mapped_;
  bool read_ = false;
};

}  // namespace warpsight
