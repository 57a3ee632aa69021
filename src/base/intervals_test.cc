#include "base/intervals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <random>

namespace warpsight {
namespace {

// The reference implementation: one bit per nanosecond.
constexpr TimeNs kRange = 128;
using Moments = std::bitset<kRange>;

Moments MomentsOf(const std::vector<Interval>& intervals) {
  Moments moments;
  for (const Interval& interval : intervals) {
    for (TimeNs t = interval.start; t < interval.end; ++t) moments.set(static_cast<size_t>(t));
  }
  return moments;
}

void ExpectIs(const IntervalSet& set, const Moments& expected) {
  EXPECT_EQ(MomentsOf(set.intervals()), expected);
  EXPECT_EQ(set.Length(), static_cast<DurationNs>(expected.count()));
  for (size_t i = 0; i < set.intervals().size(); ++i) {
    EXPECT_LT(set.intervals()[i].start, set.intervals()[i].end);
    if (i > 0) {
      EXPECT_LT(set.intervals()[i - 1].end, set.intervals()[i].start) << "not joined";
    }
  }
}

std::vector<Interval> RandomIntervals(std::mt19937& random) {
  std::vector<Interval> intervals(random() % 12);
  for (Interval& interval : intervals) {
    interval.start = static_cast<TimeNs>(random() % kRange);
    const auto length = static_cast<TimeNs>(random() % 20) - 3;  // some are empty or inverted
    interval.end = std::min(kRange, interval.start + length);
  }
  return intervals;
}

TEST(IntervalSet, AgreesWithOneBitPerMoment) {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    const auto a_intervals = RandomIntervals(random);
    const auto b_intervals = RandomIntervals(random);
    const Moments a_moments = MomentsOf(a_intervals);
    const Moments b_moments = MomentsOf(b_intervals);
    const IntervalSet a = IntervalSet::FromUnsorted(a_intervals);
    const IntervalSet b = IntervalSet::FromUnsorted(b_intervals);
    ExpectIs(a, a_moments);
    ExpectIs(a.Union(b), a_moments | b_moments);
    ExpectIs(a.Intersect(b), a_moments & b_moments);
    ExpectIs(a.Subtract(b), a_moments & ~b_moments);
    EXPECT_EQ(a.Union(b), b.Union(a));
    EXPECT_EQ(a.Subtract(b).Length() + a.Intersect(b).Length(), a.Length());
    EXPECT_EQ(IntervalSet::FromSorted(a.intervals()), a);

    const Interval window{static_cast<TimeNs>(random() % kRange),
                          static_cast<TimeNs>(random() % kRange)};
    const Moments inside = a_moments & MomentsOf({window});
    ExpectIs(a.Clip(window), inside);
    EXPECT_EQ(a.LengthWithin(window), static_cast<DurationNs>(inside.count()));
    if (HasFailure()) FAIL() << "round " << round;
  }
}

TEST(IntervalSet, OfNoIntervalsIsEmpty) {
  const IntervalSet none = IntervalSet::FromUnsorted({{5, 5}, {9, 3}});
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.Length(), 0);
  EXPECT_EQ(none.LengthWithin({0, 100}), 0);
  EXPECT_EQ(none.Union(none), none);
}

TEST(IntervalSet, JoinsAdjacentIntervals) {
  const IntervalSet set = IntervalSet::FromUnsorted({{4, 6}, {0, 2}, {2, 4}, {8, 9}});
  EXPECT_EQ(set.intervals(), (std::vector<Interval>{{0, 6}, {8, 9}}));
}

}  // namespace
}  // namespace warpsight
