#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/cuda_abi/cupti_activity.h"

namespace warpsight::agent {

// CUPTI's unmodified records from a GPU, in a file, so that their translation can be tested without
// a GPU. Names, which are pointers in the records, are written separately.
class RawRecords {
 public:
  // `end`: behind the last byte of the buffer that the record is in.
  void Add(const CUpti_Activity& record, const void* end);
  void AppendTo(const std::string& path) const;
  const std::string& bytes() const { return bytes_; }

  // Reads a file back; the records' names lead into it. Empty where it is not such a file.
  static RawRecords Read(std::string bytes);
  size_t size() const { return offsets_.size(); }
  const CUpti_Activity& operator[](size_t i) const;

 private:
  // Records are aligned to eight bytes in CUPTI's buffers too.
  std::vector<uint64_t> memory_;
  std::vector<size_t> offsets_;  // in words
  std::string bytes_;
};

}  // namespace warpsight::agent
