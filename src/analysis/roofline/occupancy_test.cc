#include "analysis/roofline/occupancy.h"

#include "gtest/gtest.h"

namespace warpsight {
namespace {

constexpr GpuLimits kH200{132, 2048, 32, 65'536, 233'472};

LaunchShape Launch(int64_t blocks, int64_t threads, int64_t registers, int64_t shared_bytes) {
  LaunchShape launch;
  launch.blocks = blocks;
  launch.threads = threads;
  launch.registers = registers;
  launch.shared_bytes = shared_bytes;
  return launch;
}

// The same rules give the occupancy that Kineto estimated for the launches in tests/data, as far as
// it has an estimate (not for kernels with more than 48 KiB of shared memory).
TEST(Occupancy, ResidentBlocks) {
  EXPECT_EQ(ResidentBlocks(Launch(1, 1024, 32, 0), kH200), 2) << "threads";
  EXPECT_EQ(ResidentBlocks(Launch(1, 32, 16, 0), kH200), 32) << "blocks";
  EXPECT_EQ(ResidentBlocks(Launch(1, 384, 168, 0), kH200), 1) << "registers";
  EXPECT_EQ(ResidentBlocks(Launch(1, 256, 33, 0), kH200), 6) << "registers come in units";
  EXPECT_EQ(ResidentBlocks(Launch(1, 32, 183, 0), kH200), 8) << "registers of a scheduler";
  EXPECT_EQ(ResidentBlocks(Launch(1, 128, 32, 100 << 10), kH200), 2) << "shared memory";
  EXPECT_EQ(ResidentBlocks(Launch(1, 100, 32, 0), kH200), 16) << "whole warps";
}

TEST(Occupancy, UnrecordedResourcesAreNotALimit) {
  EXPECT_EQ(ResidentBlocks(Launch(1, 256, 0, 0), kH200), 8);
}

TEST(Occupancy, AtLeastOneBlockFits) {
  EXPECT_EQ(ResidentBlocks(Launch(1, 1024, 255, 1 << 20), kH200), 1);
}

TEST(Occupancy, AchievedCountsBlocksThatFitAndExist) {
  EXPECT_DOUBLE_EQ(AchievedOccupancyPercent(Launch(66, 1024, 32, 0), kH200), 25);
  EXPECT_DOUBLE_EQ(AchievedOccupancyPercent(Launch(132 * 9, 1024, 32, 0), kH200), 100);
  EXPECT_DOUBLE_EQ(AchievedOccupancyPercent(Launch(132 * 9, 256, 64, 0), kH200), 50);
  EXPECT_DOUBLE_EQ(AchievedOccupancyPercent(Launch(132, 128, 255, 0), kH200), 6.25);
}

TEST(Occupancy, Waves) {
  EXPECT_DOUBLE_EQ(Waves(Launch(264, 1024, 32, 0), kH200), 1);
  EXPECT_DOUBLE_EQ(Waves(Launch(66, 1024, 32, 0), kH200), 0.25);
  EXPECT_DOUBLE_EQ(Waves(Launch(660, 1024, 32, 0), kH200), 2.5);
}

}  // namespace
}  // namespace warpsight
