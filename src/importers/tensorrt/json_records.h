#pragma once

#include <cstdint>
#include <string_view>

namespace warpsight::importers::tensorrt {

// Iterates over the objects of a JSON array. Objects must not be nested.
class JsonRecords {
 public:
  enum class End {
    kOpen,     // there is more text
    kClosed,   // the end of the array
    kCut,      // the text ends before the array
    kDamaged,  // there is no object where one is expected
  };

  // `text` begins with the array.
  explicit JsonRecords(std::string_view text);

  // The next object, with its braces; empty at the end.
  std::string_view Next();
  // The offset of the last object, or the offset at which reading ended.
  int64_t offset() const { return static_cast<int64_t>(at_); }
  End end() const { return end_; }

 private:
  void SkipSpace();
  std::string_view Stop(End end);

  std::string_view text_;
  size_t next_ = 0;
  size_t at_ = 0;
  bool first_ = true;
  End end_ = End::kOpen;
};

}  // namespace warpsight::importers::tensorrt
