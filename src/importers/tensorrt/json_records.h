#pragma once

#include <cstdint>
#include <string_view>

namespace warpsight::importers::tensorrt {

// The objects of a JSON array, one after the other, none of which holds another.
class JsonRecords {
 public:
  enum class End {
    kOpen,     // there is more
    kClosed,   // the array's end
    kCut,      // the text ends before the array
    kDamaged,  // something other than an object where one is expected
  };

  // `text` begins with the array.
  explicit JsonRecords(std::string_view text);

  // The next object, with its braces; empty at the end.
  std::string_view Next();
  // Where the last object begins, or reading ended.
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
