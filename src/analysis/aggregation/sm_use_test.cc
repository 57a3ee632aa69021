#include "analysis/aggregation/sm_use.h"

#include <gtest/gtest.h>

#include "analysis/testing/hand_made_profile.h"

namespace warpsight {
namespace {

class SmUseTest : public ::testing::Test {
 protected:
  void Kernel(TimeNs start, DurationNs duration, double blocks_per_sm, double occupancy) {
    made_.Fill(made_.Kernel("k", start, duration), blocks_per_sm, occupancy);
  }

  std::vector<SmUse> Uses(Interval window) {
    RangeSummary range;
    range.windows = {window};
    range.gpus.push_back({DeviceId{0}, window});
    return SmUses({made_.Finish(), range});
  }

  HandMadeProfile made_{1};
};

TEST_F(SmUseTest, EfficiencyCoversTheWindowAndOccupancyTheKernels) {
  Kernel(0, 100, 0.5, 20);
  Kernel(100, 100, 4, 80);
  const SmUse use = Uses({0, 1000})[0];
  EXPECT_DOUBLE_EQ(use.sm_efficiency_percent, 100 * (0.5 * 100 + 1.0 * 100) / 1000);
  EXPECT_DOUBLE_EQ(use.occupancy_percent, 50);
  EXPECT_DOUBLE_EQ(use.blocks_per_sm, 2.25);
}

TEST_F(SmUseTest, ConcurrentKernelsAddUpToAtMostOne) {
  Kernel(0, 100, 0.75, 20);
  Kernel(50, 100, 0.75, 20);
  const SmUse use = Uses({0, 200})[0];
  EXPECT_DOUBLE_EQ(use.sm_efficiency_percent, 100 * (0.75 * 50 + 1.0 * 50 + 0.75 * 50) / 200);
}

TEST_F(SmUseTest, OnlyTimeInTheWindowCounts) {
  Kernel(0, 100, 0.5, 20);
  Kernel(100, 100, 1, 80);
  const SmUse use = Uses({50, 250})[0];
  EXPECT_DOUBLE_EQ(use.sm_efficiency_percent, 100 * (0.5 * 50 + 1.0 * 100) / 200);
  EXPECT_DOUBLE_EQ(use.occupancy_percent, (20 * 50 + 80 * 100) / 150.0);
}

TEST_F(SmUseTest, MissingIfMuchIsUnknown) {
  Kernel(0, 90, 0.5, 20);
  Kernel(100, 10, kMissingReal, kMissingReal);
  const SmUse use = Uses({0, 200})[0];
  EXPECT_EQ(use.sm_efficiency_percent, kMissingReal);
  EXPECT_EQ(use.occupancy_percent, kMissingReal);
}

TEST_F(SmUseTest, ComputedFromTheLaunchIfNotRecorded) {
  made_.Device(132, 9);
  // 4 blocks of 256 threads with 64 registers fit on a multiprocessor; each gets 2.
  made_.Launch(made_.Kernel("k", 0, 100), 264, 256, 64);
  made_.Launch(made_.Kernel("k", 100, 100), 132 * 100, 256, 64);
  // Of 228 KiB, each block needs 64 and 1 reserved KiB: 3 fit.
  made_.Launch(made_.Kernel("k", 200, 100), 132 * 100, 256, 64, 64 << 10);
  const SmUse use = Uses({0, 1000})[0];
  EXPECT_DOUBLE_EQ(use.occupancy_percent, (25 + 50 + 37.5) / 3);
  EXPECT_DOUBLE_EQ(use.blocks_per_sm, (2 + 100 + 100) / 3.0);
}

TEST_F(SmUseTest, ATheoreticalOccupancyIsALimit) {
  made_.Device(132, 9);
  const GpuId small = made_.Kernel("k", 0, 100);
  made_.Launch(small, 132, 256, kMissing);
  made_.TheoreticalOccupancy(small, 75);
  const GpuId large = made_.Kernel("k", 100, 100);
  made_.Launch(large, 132 * 100, 256, kMissing);
  made_.TheoreticalOccupancy(large, 75);
  EXPECT_DOUBLE_EQ(Uses({0, 1000})[0].occupancy_percent, (12.5 + 75) / 2);
}

TEST_F(SmUseTest, NoOccupancyWithoutRegistersOrCapability) {
  made_.Device(132, 9);
  made_.Launch(made_.Kernel("k", 0, 100), 132, 256, kMissing);
  EXPECT_EQ(Uses({0, 1000})[0].occupancy_percent, kMissingReal);
  EXPECT_DOUBLE_EQ(Uses({0, 1000})[0].blocks_per_sm, 1);
}

TEST_F(SmUseTest, NoOccupancyForGpusWithUnknownLimits) {
  made_.Launch(made_.Kernel("k", 0, 100), 132, 256, 64);
  made_.Device(132, 0);
  EXPECT_EQ(Uses({0, 1000})[0].occupancy_percent, kMissingReal);
  made_.Device(104, 9, 64);  // AMD's "compute capability" is a different number
  EXPECT_EQ(Uses({0, 1000})[0].occupancy_percent, kMissingReal);
}

}  // namespace
}  // namespace warpsight
