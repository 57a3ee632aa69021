#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/hash_map.h"
#include "wire/rows.h"

namespace warpsight::importers::capture {

// The texts of a file by number. The caller owns their bytes, which must outlive this object.
// Filled by one thread, then read by any number of threads.
class Texts {
 public:
  // Returns false if a number already has a different text; the first one is kept.
  bool Add(const wire::NumberedStrings& strings) {
    bool agree = true;
    for (size_t i = 0; i < strings.texts.size(); ++i) {
      const auto [it, added] = texts_.try_emplace(strings.first + i, strings.texts[i]);
      agree = agree && (added || it->second == strings.texts[i]);
    }
    return agree;
  }

  // The number 0 means no text, "". Returns nullopt for a number that is not in the file.
  std::optional<std::string_view> Find(int64_t number) const {
    if (number == 0) return std::string_view();
    const auto at = texts_.find(static_cast<uint64_t>(number));
    return at == texts_.end() ? std::nullopt : std::optional(at->second);
  }

 private:
  HashMap<uint64_t, std::string_view> texts_;
};

}  // namespace warpsight::importers::capture
