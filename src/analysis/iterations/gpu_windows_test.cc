#include "analysis/iterations/gpu_windows.h"

#include <gtest/gtest.h>

#include <vector>

#include "analysis/testing/hand_made_profile.h"

namespace warpsight {
namespace {

TEST(GpuWindows, EndWithTheLastWorkAndAreContiguous) {
  // Iterations of 1000 ns on the CPU, each with 1200 ns of work that begins 100 ns after it.
  HandMadeProfile made(3);
  TimeNs at = 100;
  for (int i = 0; i < 3; ++i, at += 1200)
    made.Kernel("k", at, 1200, made.Api("launch", 1000 * i + 50, 10));
  const std::vector<std::vector<Interval>> windows = WindowsByGpu(made.Finish());
  ASSERT_EQ(windows.size(), 1U);
  EXPECT_EQ(windows[0], (std::vector<Interval>{{0, 1300}, {1300, 2500}, {2500, 3700}}));
}

TEST(GpuWindows, EndWithTheIterationOnTheCpuIfTheGpuFinishedEarlier) {
  HandMadeProfile made(2);
  made.Kernel("k", 100, 200, made.Api("launch", 50, 10));
  made.Kernel("k", 1100, 200, made.Api("launch", 1050, 10));
  EXPECT_EQ(WindowsByGpu(made.Finish())[0], (std::vector<Interval>{{0, 1000}, {1000, 2000}}));
}

TEST(GpuWindows, BeginAfterEarlierWork) {
  HandMadeProfile made(1);
  made.Kernel("earlier", 0, 700, made.Api("launch", -2000, 10));
  made.Kernel("k", 800, 500, made.Api("launch", 50, 10));
  EXPECT_EQ(WindowsByGpu(made.Finish())[0], (std::vector<Interval>{{700, 1300}}));
}

TEST(GpuWindows, NoneForAGpuWithoutWork) {
  HandMadeProfile made(2);
  made.Op("op", 50, 10);
  EXPECT_TRUE(WindowsByGpu(made.Finish())[0].empty());
}

}  // namespace
}  // namespace warpsight
