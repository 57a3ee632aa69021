#include "base/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace warpsight {
namespace {

Statistics Of(std::vector<int64_t> values) { return Summarize(values); }

TEST(StatisticsTest, NoValuesAndOneValue) {
  EXPECT_EQ(Of({}).count, 0);
  const Statistics one = Of({7});
  EXPECT_EQ(one.count, 1);
  EXPECT_EQ(one.total, 7);
  EXPECT_EQ(one.median, 7);
  EXPECT_EQ(one.deviation, 0);
}

TEST(StatisticsTest, MedianOfEvenCountIsTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(Of({4, 1, 3, 2}).median, 2.5);
  EXPECT_EQ(Of({9, 1, 5}).median, 5);
}

TEST(StatisticsTest, UpperMedianIsOneOfTheValues) {
  std::vector<int64_t> values = {4, 1, 3, 2};
  EXPECT_EQ(UpperMedian(values), 3);
  values = {9, 1, 5};
  EXPECT_EQ(UpperMedian(values), 5);
  values = {-7};
  EXPECT_EQ(UpperMedian(values), -7);
}

TEST(StatisticsTest, DeviationOfASample) {
  const Statistics s = Of({2, 4, 4, 4, 5, 5, 7, 9});
  EXPECT_EQ(s.total, 40);
  EXPECT_EQ(s.min, 2);
  EXPECT_EQ(s.max, 9);
  EXPECT_EQ(s.average, 5);
  EXPECT_DOUBLE_EQ(s.deviation, std::sqrt(32.0 / 7));
}

TEST(StatisticsTest, SmallDifferencesOfLargeValuesAreExact) {
  const int64_t base = int64_t{1} << 60;
  EXPECT_DOUBLE_EQ(Of({base, base + 2}).deviation, std::sqrt(2.0));
}

TEST(StatisticsTest, AbsurdValuesDoNotOverflow) {
  const Statistics s = Of({INT64_MIN + 1, INT64_MAX, INT64_MAX});
  EXPECT_EQ(s.max, INT64_MAX);
  EXPECT_GT(s.deviation, 0);
}

}  // namespace
}  // namespace warpsight
