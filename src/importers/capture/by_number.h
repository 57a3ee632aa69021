#pragma once

#include <cstdint>
#include <optional>

#include "model/hash_map.h"

namespace warpsight::importers::capture {

// A cache of values by number, optimized for repeated numbers, since neighboring records often have
// the same one.
template <typename Value>
class ByNumber {
 public:
  template <typename Make>
  Value Get(int64_t number, Make&& make) {
    if (last_number_ == number) return last_;
    auto at = values_.find(number);
    if (at == values_.end()) at = values_.emplace(number, make(number)).first;
    last_number_ = number;
    last_ = at->second;
    return last_;
  }

 private:
  HashMap<int64_t, Value> values_;
  std::optional<int64_t> last_number_;
  Value last_{};
};

}  // namespace warpsight::importers::capture
