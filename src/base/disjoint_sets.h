#pragma once

#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace warpsight {

// Union-find over `count` elements.
class DisjointSets {
 public:
  explicit DisjointSets(size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), size_t{0});
  }

  // The smallest element of the set that contains `thing`.
  size_t First(size_t thing) {
    while (parent_[thing] != thing) {
      parent_[thing] = parent_[parent_[thing]];
      thing = parent_[thing];
    }
    return thing;
  }

  void Join(size_t a, size_t b) {
    a = First(a);
    b = First(b);
    if (a > b) std::swap(a, b);
    parent_[b] = a;
  }

 private:
  std::vector<size_t> parent_;
};

}  // namespace warpsight
