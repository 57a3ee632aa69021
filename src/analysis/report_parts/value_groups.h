#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/statistics.h"
#include "model/hash_map.h"

namespace warpsight {

// Numbers distinct keys from 0, in order of appearance.
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
  HashMap<Key, size_t> numbers_;
  std::vector<Key> keys_;
};

// Durations or sizes collected by group: the input of every summary report. Groups are small
// numbers (a StringId's index, or from KeyNumbers). Linear in the number of values.
class ValueGroups {
 public:
  struct Group {
    size_t number;
    Statistics statistics;
    size_t largest;  // row of its largest value; the first one of several
  };

  // `row` is the origin of the value: its row in a table of the trace.
  void Add(size_t group, int64_t value, size_t row) {
    groups_.push_back(static_cast<uint32_t>(group));
    values_.push_back(value);
    if (group >= largest_.size()) largest_.resize(group + 1);
    Largest& largest = largest_[group];
    if (value > largest.value) largest = {value, row};
  }

  // The groups that have values, ordered by descending total; `before(a, b)` orders groups with
  // equal totals.
  template <typename Before>
  std::vector<Group> Summarize(Before before) const {
    std::vector<Group> result = SummarizeInOrder();
    std::sort(result.begin(), result.end(), [&](const Group& a, const Group& b) {
      if (a.statistics.total != b.statistics.total) {
        return a.statistics.total > b.statistics.total;
      }
      return before(a.number, b.number);
    });
    return result;
  }

  // The groups that have values, ordered by number.
  std::vector<Group> SummarizeInOrder() const;

 private:
  struct Largest {
    int64_t value = std::numeric_limits<int64_t>::min();
    size_t row = 0;
  };

  std::vector<uint32_t> groups_;
  std::vector<int64_t> values_;
  std::vector<Largest> largest_;  // by group
};

}  // namespace warpsight
