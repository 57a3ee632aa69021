#include "agent/counters/launches.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "agent/cuda_abi/driver.h"

namespace warpsight::agent {
namespace {

Launch LaunchOf(std::string_view name, uint32_t grid, uint32_t block) {
  return {name, {grid, 1, 1}, {block, 1, 1}, nullptr};
}

std::optional<uint32_t> Instance(LaunchSampler& sampler, const Launch& launch) {
  const auto sample = sampler.Take(launch);
  return sample ? std::optional(sample->instance) : std::nullopt;
}

TEST(LaunchSampler, TakesTheFirstOfEachKernelGridAndBlock) {
  LaunchSampler sampler(3);
  for (uint32_t i = 0; i < 3; ++i) EXPECT_EQ(Instance(sampler, LaunchOf("gemm", 8, 128)), i);
  EXPECT_FALSE(sampler.Take(LaunchOf("gemm", 8, 128)));
  EXPECT_EQ(Instance(sampler, LaunchOf("gemm", 16, 128)), 0U);
  EXPECT_EQ(Instance(sampler, LaunchOf("gemm", 8, 256)), 0U);
  EXPECT_EQ(Instance(sampler, LaunchOf("copy", 8, 128)), 0U);
  EXPECT_FALSE(sampler.Take(LaunchOf("gemm", 8, 128)));
}

TEST(LaunchSampler, DimensionsAreNotMixedUp) {
  LaunchSampler sampler(1);
  Launch wide = LaunchOf("copy", 8, 128);
  Launch high = wide;
  high.grid = {1, 8, 1};
  EXPECT_EQ(Instance(sampler, wide), 0U);
  EXPECT_EQ(Instance(sampler, high), 0U);
  EXPECT_FALSE(sampler.Take(wide));
}

TEST(LaunchSampler, WhatDidNotRunIsTakenAgain) {
  LaunchSampler sampler(2);
  const Launch launch = LaunchOf("gemm", 8, 128);
  EXPECT_EQ(Instance(sampler, launch), 0U);
  sampler.GiveBack(launch);
  EXPECT_EQ(Instance(sampler, launch), 0U);
  EXPECT_EQ(Instance(sampler, launch), 1U);
  EXPECT_FALSE(sampler.Take(launch));
  sampler.GiveBack(LaunchOf("never seen", 1, 1));
}

TEST(LaunchSampler, EverythingIsCountedUntilItIsKnown) {
  LaunchSampler sampler(4);
  const Launch launch = LaunchOf("gemm", 8, 128);
  EXPECT_TRUE(sampler.Take(launch)->everything);
  EXPECT_TRUE(sampler.Take(launch)->everything) << "the first one could not be counted";
  sampler.NoteEverything(launch);
  EXPECT_FALSE(sampler.Take(launch)->everything);
  EXPECT_TRUE(sampler.Take(LaunchOf("gemm", 16, 128))->everything) << "another grid";
  sampler.NoteEverything(LaunchOf("never seen", 1, 1));
}

TEST(LaunchSampler, ThreadsTakeNoInstanceTwice) {
  LaunchSampler sampler(1000);
  std::vector<std::vector<uint32_t>> taken(4);
  std::vector<std::thread> threads;
  threads.reserve(taken.size());
  for (auto& mine : taken) {
    threads.emplace_back([&] {
      while (const auto sample = sampler.Take(LaunchOf("gemm", 8, 128)))
        mine.push_back(sample->instance);
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<int> times(1000, 0);
  for (const auto& mine : taken) {
    for (const uint32_t instance : mine) ++times[instance];
  }
  for (const int count : times) EXPECT_EQ(count, 1);
}

TEST(DriverCalls, AreKnownByName) {
  EXPECT_EQ(DriverCallOf("cuLaunchKernel"), DriverCall::kLaunch);
  EXPECT_EQ(DriverCallOf("cuLaunchKernelEx"), DriverCall::kConfiguredLaunch);
  EXPECT_EQ(DriverCallOf("cuLaunchCooperativeKernel"), DriverCall::kCooperativeLaunch);
  EXPECT_EQ(DriverCallOf("cuLaunchCooperativeKernelMultiDevice"), DriverCall::kOther);
  EXPECT_EQ(DriverCallOf("cuLaunchHostFunc"), DriverCall::kOther);
  EXPECT_EQ(DriverCallOf("cuGraphLaunch"), DriverCall::kGraphLaunch);
  EXPECT_EQ(DriverCallOf("cuStreamBeginCaptureToGraph"), DriverCall::kBeginCapture);
  EXPECT_EQ(DriverCallOf("cuStreamEndCapture"), DriverCall::kEndCapture);
}

TEST(ReadLaunch, FindsGridAndBlock) {
  cuLaunchKernel_params plain{};
  plain.gridDimX = 4;
  plain.gridDimY = 5;
  plain.gridDimZ = 6;
  plain.blockDimX = 32;
  plain.blockDimY = 2;
  plain.blockDimZ = 3;
  const auto launch = ReadLaunch(DriverCall::kLaunch, &plain, "_Z4gemmv");
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->name, "_Z4gemmv");
  EXPECT_EQ(launch->grid, (std::array<uint32_t, 3>{4, 5, 6}));
  EXPECT_EQ(launch->block, (std::array<uint32_t, 3>{32, 2, 3}));

  CUlaunchConfig config{};
  config.gridDimX = 132;
  config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 384;
  config.blockDimY = config.blockDimZ = 1;
  cuLaunchKernelEx_params configured{};
  configured.config = &config;
  const auto other = ReadLaunch(DriverCall::kConfiguredLaunch, &configured, "nvjet");
  ASSERT_TRUE(other);
  EXPECT_EQ(other->grid[0], 132U);
  EXPECT_EQ(other->block[0], 384U);
}

TEST(ReadLaunch, NothingWhereThereIsNoKernel) {
  cuLaunchKernel_params plain{};
  EXPECT_FALSE(ReadLaunch(DriverCall::kLaunch, &plain, nullptr));
  EXPECT_FALSE(ReadLaunch(DriverCall::kLaunch, nullptr, "gemm"));
  EXPECT_FALSE(ReadLaunch(DriverCall::kGraphLaunch, &plain, "gemm"));
  cuLaunchKernelEx_params configured{};
  EXPECT_FALSE(ReadLaunch(DriverCall::kConfiguredLaunch, &configured, "gemm"));
}

TEST(Collectives, AreLeftOut) {
  EXPECT_TRUE(
      IsCollective("_Z45ncclDevKernel_AllReduce_Sum_bf16_RING_LL24ncclDevKernelArgsStorage"));
  EXPECT_FALSE(IsCollective("nvjet_tst_128x64_64x9_1x2_h_bz_coopA_TNT"));
}

}  // namespace
}  // namespace warpsight::agent
