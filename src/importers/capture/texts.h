#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/hash_map.h"
#include "wire/rows.h"

namespace warpsight::importers::capture {

// The texts of a file by their numbers. The bytes that they lie in belong to someone else and
// outlive it. Filled by one thread, then read by any number.
class Texts {
 public:
  // Returns false where a number already stands for another text; the first one counts.
  bool Add(const wire::NumberedStrings& strings) {
    bool agree = true;
    for (size_t i = 0; i < strings.texts.size(); ++i) {
      const auto [it, added] = texts_.try_emplace(strings.first + i, strings.texts[i]);
      agree = agree && (added || it->second == strings.texts[i]);
    }
    return agree;
  }

  // 0 stands for no text, which is "". Nothing for a number that the file does not explain.
  std::optional<std::string_view> Find(int64_t number) const {
    if (number == 0) return std::string_view();
    const auto at = texts_.find(static_cast<uint64_t>(number));
    return at == texts_.end() ? std::nullopt : std::optional(at->second);
  }

 private:
  HashMap<uint64_t, std::string_view> texts_;
};

}  // namespace warpsight::importers::capture
