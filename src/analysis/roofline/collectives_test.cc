#include "analysis/roofline/collectives.h"

#include <gtest/gtest.h>

namespace warpsight {
namespace {

TEST(CollectivesTest, KindsOfAllSpellings) {
  for (const char* name : {"allreduce", "allreduce_coalesced", "all_reduce",
                           "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"}) {
    EXPECT_EQ(CollectiveKindOf(name), CollectiveKind::kAllReduce) << name;
  }
  EXPECT_EQ(CollectiveKindOf("_allgather_base"), CollectiveKind::kAllGather);
  EXPECT_EQ(CollectiveKindOf("reduce_scatter_tensor_coalesced"), CollectiveKind::kReduceScatter);
  EXPECT_EQ(CollectiveKindOf("_reduce_oop"), CollectiveKind::kReduce);
  EXPECT_EQ(CollectiveKindOf("all_to_allv"), CollectiveKind::kAllToAll);
  EXPECT_EQ(CollectiveKindOf("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)"),
            CollectiveKind::kSendReceive);
  EXPECT_EQ(CollectiveKindOf("barrier"), CollectiveKind::kBarrier);
  EXPECT_EQ(CollectiveKindOf("wait"), CollectiveKind::kUnknown);
}

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
