#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace warpsight {

// Every distinct string of a trace, once. Id 0 is the empty string. Views stay valid as long as the
// pool lives, also after it was moved. Not synchronised: one thread writes; any number may read
// once it is no longer written.
class StringPool {
 public:
  StringPool();
  StringPool(StringPool&&) = default;
  StringPool& operator=(StringPool&&) = default;

  StringId Intern(std::string_view text) { return InternHashed(text, Hash(text)); }
  // The id of `text`, or kNone when it is not in the pool.
  StringId Find(std::string_view text) const;

  std::string_view View(StringId id) const { return strings_[Index(id)]; }
  size_t size() const { return strings_.size(); }

 private:
  static uint64_t Hash(std::string_view text);
  StringId InternHashed(std::string_view text, uint64_t hash);
  std::string_view Store(std::string_view text);
  void Grow();

  struct Slot {
    uint32_t hash = 0;  // upper half of the hash
    uint32_t id = UINT32_MAX;
  };
  std::vector<Slot> slots_;  // open addressing, power of two
  std::vector<std::string_view> strings_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  size_t block_free_ = 0;
  char* block_next_ = nullptr;
};

}  // namespace warpsight
