#include "analysis/advice/predicted_range.h"

#include <gtest/gtest.h>

#include <string_view>

namespace warpsight {
namespace {

TEST(PredictedRange, ContainsThePredictionAndNoSlowdown) {
  for (const std::string_view rule : {"cuda-graphs", "input-bound", "tf32", "fused-optimizer"}) {
    for (const double speedup : {1.0, 1.02, 1.5, 4.0, 100.0}) {
      const SpeedupRange range = PredictedRange(rule, speedup);
      EXPECT_GE(range.low, 1) << rule;
      EXPECT_LE(range.low, speedup) << rule;
      EXPECT_GE(range.high, speedup) << rule;
    }
  }
}

TEST(PredictedRange, WhatRemainsOfTheHostsWorkIsUncertain) {
  const SpeedupRange graphs = PredictedRange("cuda-graphs", 11);
  EXPECT_NEAR(graphs.low, 4, 1e-9);
  EXPECT_NEAR(graphs.high, 12.1, 1e-9);
  const SpeedupRange tf32 = PredictedRange("tf32", 2);
  EXPECT_NEAR(tf32.low, 1.8, 1e-9);
  EXPECT_NEAR(tf32.high, 2.5, 1e-9);
}

}  // namespace
}  // namespace warpsight
