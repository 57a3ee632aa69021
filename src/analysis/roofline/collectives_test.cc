#include "analysis/roofline/collectives.h"

#include <gtest/gtest.h>

namespace warpsight {
namespace {

// The factors of NCCL's tests, for eight ranks.
TEST(CollectivesTest, BusFactors) {
  Collective about;
  about.group_size = 8;
  const auto factor = [&about](CollectiveKind kind) {
    about.kind = kind;
    return about.BusFactor();
  };
  EXPECT_DOUBLE_EQ(factor(CollectiveKind::kAllReduce), 1.75);
  EXPECT_DOUBLE_EQ(factor(CollectiveKind::kAllGather), 0.875);
  EXPECT_DOUBLE_EQ(factor(CollectiveKind::kReduceScatter), 0.875);
  EXPECT_DOUBLE_EQ(factor(CollectiveKind::kAllToAll), 0.875);
  EXPECT_DOUBLE_EQ(factor(CollectiveKind::kBroadcast), 1);
  EXPECT_DOUBLE_EQ(factor(CollectiveKind::kReduce), 1);
  EXPECT_EQ(factor(CollectiveKind::kBarrier), kMissingReal);
  EXPECT_EQ(factor(CollectiveKind::kUnknown), kMissingReal);
  about.group_size = kMissing;
  EXPECT_EQ(factor(CollectiveKind::kAllReduce), kMissingReal);
  about.group_size = 1;
  EXPECT_EQ(factor(CollectiveKind::kAllReduce), kMissingReal);
}

TEST(CollectivesTest, MessagesAreTheLargerSide) {
  Collective about;
  EXPECT_EQ(about.MessageBytes(), kMissingReal);
  about.kind = CollectiveKind::kAllGather;
  about.bytes_in = 100;
  EXPECT_EQ(about.MessageBytes(), 100);
  about.bytes_out = 800;
  EXPECT_EQ(about.MessageBytes(), 800);
}

TEST(CollectivesTest, ElementBytes) {
  EXPECT_EQ(CollectiveElementBytes("BFloat16"), 2);
  EXPECT_EQ(CollectiveElementBytes("Long"), 8);
  EXPECT_EQ(CollectiveElementBytes("Float8_e4m3fn"), 1);
  EXPECT_EQ(CollectiveElementBytes("Float"), 4);
  EXPECT_EQ(CollectiveElementBytes("Undefined"), kMissingReal);
  EXPECT_EQ(CollectiveElementBytes(""), kMissingReal);
}

}  // namespace
}  // namespace warpsight
