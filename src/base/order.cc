#include "base/order.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace warpsight {
namespace {

struct Key {
  uint64_t time;  // from the earliest start
  uint32_t row;
};

constexpr int kDigitBits = 12;
constexpr size_t kBuckets = size_t{1} << kDigitBits;

void RadixSort(std::vector<Key>& keys, uint64_t largest) {
  std::vector<Key> scratch(keys.size());
  for (int shift = 0; shift < 64 && (largest >> shift) != 0; shift += kDigitBits) {
    std::array<uint32_t, kBuckets + 1> place{};
    const auto digit = [shift](const Key& key) { return (key.time >> shift) & (kBuckets - 1); };
    for (const Key& key : keys) ++place[digit(key) + 1];
    std::partial_sum(place.begin(), place.end(), place.begin());
    for (const Key& key : keys) scratch[place[digit(key)]++] = key;
    keys.swap(scratch);
  }
}

}  // namespace

std::vector<uint32_t> TimelineOrder(std::span<const TimeNs> start,
                                    std::span<const DurationNs> duration) {
  const size_t n = start.size();
  std::vector<uint32_t> order(n);
  if (n == 0) return order;
  const auto [low, high] = std::minmax_element(start.begin(), start.end());
  const auto base = static_cast<uint64_t>(*low);
  std::vector<Key> keys(n);
  for (uint32_t i = 0; i < n; ++i) keys[i] = {static_cast<uint64_t>(start[i]) - base, i};
  if (!std::is_sorted(start.begin(), start.end())) {
    RadixSort(keys, static_cast<uint64_t>(*high) - base);
  }
  for (size_t i = 0; i < n;) {
    size_t end = i + 1;
    while (end < n && keys[end].time == keys[i].time) ++end;
    if (end - i > 1 && !duration.empty()) {
      std::stable_sort(
          keys.begin() + static_cast<ptrdiff_t>(i), keys.begin() + static_cast<ptrdiff_t>(end),
          [&](const Key& a, const Key& b) { return duration[a.row] > duration[b.row]; });
    }
    i = end;
  }
  for (size_t i = 0; i < n; ++i) order[i] = keys[i].row;
  return order;
}

}  // namespace warpsight
