#include "base/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace warpsight {
namespace {

std::vector<uint32_t> NaiveOrder(const std::vector<TimeNs>& start,
                                 const std::vector<DurationNs>& duration) {
  std::vector<uint32_t> order(start.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    if (start[a] != start[b]) return start[a] < start[b];
    return !duration.empty() && duration[a] > duration[b];
  });
  return order;
}

TEST(TimelineOrder, AgreesWithAStableSort) {
  std::mt19937_64 random(11);
  for (const int64_t spread :
       {int64_t{1}, int64_t{3}, int64_t{5000}, int64_t{1} << 40, int64_t{1} << 61}) {
    for (const size_t rows : {size_t{1}, size_t{2}, size_t{17}, size_t{5000}}) {
      std::vector<TimeNs> start(rows);
      std::vector<DurationNs> duration(rows);
      for (size_t i = 0; i < rows; ++i) {
        start[i] = static_cast<int64_t>(random() % static_cast<uint64_t>(2 * spread)) - spread;
        duration[i] = static_cast<int64_t>(random() % 4);
      }
      EXPECT_EQ(TimelineOrder(start, duration), NaiveOrder(start, duration));
      EXPECT_EQ(TimelineOrder(start, {}), NaiveOrder(start, {}));
      std::sort(start.begin(), start.end());
      EXPECT_EQ(TimelineOrder(start, duration), NaiveOrder(start, duration));
    }
  }
}

TEST(TimelineOrder, OfNoSlicesIsEmpty) { EXPECT_TRUE(TimelineOrder({}, {}).empty()); }

}  // namespace
}  // namespace warpsight
