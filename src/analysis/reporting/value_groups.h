#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analysis/reporting/statistics.h"

namespace warpsight {

// Gives each distinct key a number, from 0 on in order of appearance.
template <typename Key>
class KeyNumbers {
 public:
  size_t NumberOf(const Key& key) {
    const auto [it, added] = numbers_.try_emplace(key, keys_.size());
    if (added) keys_.push_back(key);
    return it->second;
  }
  const Key& operator[](size_t number) const { return keys_[number]; }

 private:
  absl::flat_hash_map<Key, size_t> numbers_;
  std::vector<Key> keys_;
};

// Durations or sizes collected by group: what every summary report is made of. Groups are small
// numbers (a StringId's index, or from KeyNumbers). Linear in the number of values.
class ValueGroups {
 public:
  struct Group {
    size_t number;
    Statistics statistics;
  };

  void Add(size_t group, int64_t value) {
    groups_.push_back(static_cast<uint32_t>(group));
    values_.push_back(value);
  }

  // The groups that have values, the largest total first; `before(a, b)` orders groups of equal
  // totals.
  template <typename Before>
  std::vector<Group> Summarise(Before before) const {
    std::vector<Group> result = SummariseInOrder();
    std::sort(result.begin(), result.end(), [&](const Group& a, const Group& b) {
      if (a.statistics.total != b.statistics.total) {
        return a.statistics.total > b.statistics.total;
      }
      return before(a.number, b.number);
    });
    return result;
  }

  // The groups that have values, by number.
  std::vector<Group> SummariseInOrder() const;

 private:
  std::vector<uint32_t> groups_;
  std::vector<int64_t> values_;
};

}  // namespace warpsight
