#include "analysis/aggregation/report_cache.h"

#include <optional>
#include <thread>

#include "analysis/testing/hand_made_profile.h"
#include "gtest/gtest.h"

namespace warpsight {
namespace {

class ReportCacheTest : public testing::Test {
 protected:
  ReportCacheTest() : hand_made_(1) {
    const HostId op = hand_made_.Op("aten::mm", 10, 100);
    hand_made_.Kernel("gemm", 150, 40, hand_made_.Api("cudaLaunchKernel", 20, 5, op));
    range_.windows = {{0, 1000}};
    range_.total = 1;
  }

  HandMadeProfile hand_made_;
  RangeSummary range_;
};

TEST_F(ReportCacheTest, ComputesOnceForManyThreads) {
  ReportCache cache;
  const ReportInput input{hand_made_.Finish(), range_, std::nullopt, &cache};
  std::vector<std::shared_ptr<const OpTable>> tables(8);
  std::vector<std::shared_ptr<const std::vector<KernelUse>>> uses(tables.size());
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < tables.size(); ++i) {
      threads.emplace_back([&, i] {
        tables[i] = OpTableOf(input);
        uses[i] = KernelUsesOf(input, *tables[i]);
      });
    }
  }
  for (const auto& table : tables) EXPECT_EQ(table, tables[0]);
  for (const auto& use : uses) EXPECT_EQ(use, uses[0]);
  ASSERT_EQ(tables[0]->ops().size(), 1u);
  ASSERT_EQ(uses[0]->size(), 1u);
  EXPECT_EQ((*uses[0])[0].gpu.total, 40);
  EXPECT_EQ(OpCostsOf(input, *tables[0]), OpCostsOf(input, *tables[0]));
}

TEST_F(ReportCacheTest, WithoutACacheEveryCallerComputesItsOwn) {
  const ReportInput input{hand_made_.Finish(), range_};
  const auto first = OpTableOf(input);
  EXPECT_NE(first, OpTableOf(input));
  EXPECT_EQ(first->ops().size(), 1u);
}

}  // namespace
}  // namespace warpsight
