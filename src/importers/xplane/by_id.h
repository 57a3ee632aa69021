#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/hash_map.h"

namespace warpsight::importers::xplane {

// A map with the numeric ids of a plane as keys. Profilers write small and dense ids; others are
// possible.
template <typename T>
class ById {
 public:
  // If an id has several values, the last one is used.
  void Add(int64_t id, T value) { entries_.emplace_back(id, std::move(value)); }

  // Must be called before Find(); nothing can be added afterwards.
  void Seal() {
    const auto dense = static_cast<int64_t>(4 * entries_.size() + 1024);
    places_.clear();
    for (size_t i = 0; i < entries_.size(); ++i) {
      const int64_t id = entries_[i].first;
      if (id < 0 || id >= dense) {
        others_[id] = i;
        continue;
      }
      const auto at = static_cast<size_t>(id);
      if (at >= places_.size()) places_.resize(at + 1, kNoPlace);
      places_[at] = i;
    }
  }

  const T* Find(int64_t id) const {
    if (id >= 0 && static_cast<uint64_t>(id) < places_.size()) {
      const size_t place = places_[static_cast<size_t>(id)];
      return place == kNoPlace ? nullptr : &entries_[place].second;
    }
    const auto at = others_.find(id);
    return at == others_.end() ? nullptr : &entries_[at->second].second;
  }

  std::vector<std::pair<int64_t, T>>& entries() { return entries_; }
  const std::vector<std::pair<int64_t, T>>& entries() const { return entries_; }

 private:
  static constexpr size_t kNoPlace = SIZE_MAX;

  std::vector<std::pair<int64_t, T>> entries_;
  std::vector<size_t> places_;  // for small ids
  HashMap<int64_t, size_t> others_;
};

}  // namespace warpsight::importers::xplane
