#include "agent/core/windows.h"

#include <gtest/gtest.h>

namespace warpsight::agent {
namespace {

constexpr DurationNs kSecond = 1'000'000'000;

TEST(Windows, WithoutWishesEverythingIsWanted) {
  const Windows windows(Options{}, 5 * kSecond);
  EXPECT_TRUE(windows.open());
  EXPECT_TRUE(windows.Wanted(0));  // what the GPU began a moment before
  EXPECT_TRUE(windows.Wanted(100 * kSecond));
}

TEST(Windows, DelayAndDurationCountFromTheBeginning) {
  Options options;
  options.delay = 2 * kSecond;
  options.duration = 3 * kSecond;
  Windows windows(options, 10 * kSecond);
  EXPECT_FALSE(windows.open());
  windows.Tick(12 * kSecond);
  EXPECT_TRUE(windows.open());
  windows.Tick(15 * kSecond);
  EXPECT_FALSE(windows.open());
  EXPECT_FALSE(windows.Wanted(11 * kSecond));
  EXPECT_TRUE(windows.Wanted(12 * kSecond));
  EXPECT_TRUE(windows.Wanted(15 * kSecond - 1));
  EXPECT_FALSE(windows.Wanted(15 * kSecond));
}

TEST(Windows, ProgramStopsAndStarts) {
  Windows windows(Options{}, 0);
  windows.Ask(false, 5);
  EXPECT_FALSE(windows.open());
  windows.Ask(true, 9);
  EXPECT_TRUE(windows.open());
  EXPECT_TRUE(windows.Wanted(4));
  EXPECT_FALSE(windows.Wanted(7));
  EXPECT_TRUE(windows.Wanted(9));
}

TEST(Windows, StepsOfAnOptimizerCountUntilTheProgramMarksItsOwn) {
  Options options;
  options.first_step = 2;
  options.step_after_last = 4;
  Windows windows(options, 0);
  EXPECT_FALSE(windows.open());
  windows.Step(10, false);  // the first ends, so this is the second
  EXPECT_FALSE(windows.open());
  windows.Step(20, false);
  EXPECT_TRUE(windows.open());
  windows.Step(30, true);  // the program's step 0
  EXPECT_FALSE(windows.open());
  windows.Step(31, false);
  windows.Step(40, true);
  windows.Step(50, true);
  EXPECT_TRUE(windows.open());
  windows.Step(60, true);
  EXPECT_TRUE(windows.open());
  windows.Step(70, true);
  EXPECT_FALSE(windows.open());
}

}  // namespace
}  // namespace warpsight::agent
