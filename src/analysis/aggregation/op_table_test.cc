#include "analysis/aggregation/op_table.h"

#include <string_view>

#include "analysis/aggregation/kernel_table.h"
#include "analysis/testing/hand_made_profile.h"
#include "analysis/testing/two_steps.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpsight {
namespace {

RangeSummary Iterations(int64_t first, int64_t last) {
  RangeSummary range;
  range.first = first;
  range.last = last;
  range.total = last + 1;
  return range;
}

// Reports cover iteration 1 of two.
class OpTableTest : public testing::Test {
 protected:
  static const Op* Find(const OpTable& table, std::string_view name) {
    for (const Op& op : table.ops()) {
      if (op.name == name) return &op;
    }
    return nullptr;
  }

  HandMadeProfile hand_made_ = TwoSteps();
};

TEST_F(OpTableTest, EveryActivityOfTheRangeCountsUnderOneOp) {
  const RangeSummary range = Iterations(1, 1);
  ProfileView profile = hand_made_.Finish(range);
  const OpTable table({profile, range});
  DurationNs in_range = 0;
  const GpuActivitiesTable& gpu = profile.trace.tables.gpu;
  for (size_t i = 0; i < gpu.start.size(); ++i) {
    EXPECT_EQ(table.RowOf(MakeId<GpuId>(i)) == OpTable::kOutside, gpu.start[i] < 1000) << i;
    if (gpu.start[i] >= 1000) in_range += gpu.duration[i];
  }
  // The two kernels of linear overlap by 20.
  EXPECT_EQ(SumOps(table).all.gpu, in_range - 20);
  EXPECT_EQ(SumKernels(profile.facts).all.gpu, in_range);
}

TEST_F(OpTableTest, TimesOfACall) {
  ProfileView profile = hand_made_.Finish();
  const RangeSummary range = Iterations(0, 1);
  const OpTable table({profile, range});
  const Op* linear = Find(table, "Model/fc1/aten::linear");
  ASSERT_NE(linear, nullptr);
  EXPECT_EQ(linear->calls(), 2);
  EXPECT_EQ(linear->times.cpu.total, 200);
  EXPECT_EQ(linear->times.gpu.total, 2 * 130);
  EXPECT_EQ(linear->times.gpu.Average(), 130);
  EXPECT_EQ(linear->times.cpu_overhead.min, 100 - 20);  // calls 120..130 and 125..140
  EXPECT_EQ(linear->times.gpu_idle.max, 0);
  EXPECT_TRUE(linear->tensor_core_eligible);
  EXPECT_TRUE(linear->uses_tensor_cores);
  EXPECT_EQ(linear->type, "linear");
  EXPECT_EQ(linear->id, "LINEAR_1");
}

TEST_F(OpTableTest, IdleIsWithinACallOnly) {
  ProfileView profile = hand_made_.Finish();
  const RangeSummary range = Iterations(0, 1);
  const OpTable table({profile, range});
  const Op* graph = Find(table, "unassociated_cudaGraphLaunch");
  ASSERT_NE(graph, nullptr);
  EXPECT_EQ(graph->calls(), 2);
  EXPECT_EQ(graph->times.gpu.total, 40);
  EXPECT_EQ(graph->times.gpu_idle.total, 20);
}

TEST_F(OpTableTest, WorkThatNamesItsOpCountsUnderIt) {
  HandMadeProfile made(1);
  const HostId host = made.Op("MatMul_1", 100, 50);
  const ApiId launch = made.Api("cuLaunchKernel", 110, 10, host);
  const ApiId other = made.Api("cuLaunchKernel", 170, 20);
  const ApiId graph = made.Api("cuGraphLaunch", 200, 30);
  made.NamedOp(made.Kernel("gemm", 300, 10, launch), "", "MatMul_1", "MatMul");
  made.NamedOp(made.Kernel("fusion_7", 320, 10, other), "jit(f)/add", "fusion.7", "fusion");
  made.NamedOp(made.Kernel("fusion_7", 340, 10, graph), "jit(f)/add", "fusion.7", "fusion");
  made.NamedOp(made.Kernel("dot_1", 360, 10, graph), "jit(f)/transpose(jvp())/dot", "gemm.1",
               "gemm");
  ProfileView profile = made.Finish();
  const RangeSummary range = Iterations(0, 0);
  const OpTable table({profile, range});
  ASSERT_EQ(table.ops().size(), 3u);
  // The op that launched it is also the op that it names.
  const Op* matmul = Find(table, "MatMul_1");
  ASSERT_NE(matmul, nullptr);
  EXPECT_EQ(matmul->times.cpu.total, 50);
  EXPECT_EQ(matmul->times.gpu.total, 10);
  const Op* fusion = Find(table, "jit(f)/add/fusion.7");
  ASSERT_NE(fusion, nullptr);
  EXPECT_TRUE(fusion->associated());
  EXPECT_EQ(fusion->type, "fusion");
  EXPECT_EQ(fusion->calls(), 2);
  EXPECT_EQ(fusion->times.cpu.total, 20);  // the graph's launch does not belong to a single op
  const Op* gemm = Find(table, "jit(f)/transpose(jvp())/dot/gemm.1");
  ASSERT_NE(gemm, nullptr);
  EXPECT_EQ(gemm->direction, Direction::kBackward);
  EXPECT_TRUE(gemm->tensor_core_eligible);
}

TEST_F(OpTableTest, WorkWithoutAnOpIsASeparateOp) {
  ProfileView profile = hand_made_.Finish();
  const RangeSummary range = Iterations(1, 1);
  const OpTable table({profile, range});
  const Op* copy = Find(table, "unassociated_cudaMemcpyAsync");
  ASSERT_NE(copy, nullptr);
  EXPECT_FALSE(copy->associated());
  EXPECT_EQ(copy->times.cpu.total, 30);
  EXPECT_EQ(copy->times.cpu_overhead.total, 0);
  const Op* stray = Find(table, "unassociated_kernel");
  ASSERT_NE(stray, nullptr);
  EXPECT_EQ(stray->times.gpu.total, 5);
  EXPECT_EQ(stray->times.cpu.total, 0);
}

TEST_F(OpTableTest, DirectionAndPathMakeDifferentOps) {
  hand_made_.Op("aten::mm", 1700, 10, Direction::kForward);
  ProfileView profile = hand_made_.Finish();
  const RangeSummary range = Iterations(1, 1);
  const OpTable table({profile, range});
  std::vector<std::string> ids;
  for (const Op& op : table.ops()) {
    if (op.type == "mm") ids.push_back(op.id);
  }
  EXPECT_THAT(ids, testing::ElementsAre("MM_1", "MM_2"));
}

TEST_F(OpTableTest, OpsAroundEligibleOnesAreEligible) {
  const HostId custom = hand_made_.Op("my::block", 1800, 100);
  const HostId mm = hand_made_.Op("aten::mm", 1810, 20, Direction::kForward, custom);
  const ApiId launch = hand_made_.Api("cudaLaunchKernel", 1815, 5, mm);
  const GpuId kernel = hand_made_.Kernel("sgemm", 1850, 20, launch);
  ProfileView profile = hand_made_.Finish();
  const RangeSummary range = Iterations(1, 1);
  const OpTable table({profile, range});
  const Op* op = Find(table, "my::block");
  ASSERT_NE(op, nullptr);
  EXPECT_TRUE(op->tensor_core_eligible);
  EXPECT_FALSE(op->uses_tensor_cores);
  EXPECT_TRUE(table.InEligibleOp(kernel));
}

TEST_F(OpTableTest, PartsSumToAll) {
  const RangeSummary range = Iterations(0, 1);
  ProfileView profile = hand_made_.Finish(range);
  const OpTable table({profile, range});
  const OpTotals ops = SumOps(table);
  EXPECT_EQ(ops.all.gpu, ops.using_tensor_cores.gpu + ops.eligible_only.gpu + ops.other.gpu);
  EXPECT_EQ(ops.all.count, static_cast<int64_t>(table.ops().size()));
  const KernelTotals kernels = SumKernels(profile.facts);
  EXPECT_EQ(kernels.all.count, 16);
  EXPECT_EQ(kernels.all.count,
            kernels.tensor_cores.count + kernels.memory.count + kernels.other.count);
  // A graph launch counts once, although it launched two kernels.
  EXPECT_EQ(kernels.all.api, 2 * (10 + 15 + 10 + 10 + 30 + 20));
  // gemm 100 and 80 of split 50, gemm 100, gemm 80.
  EXPECT_DOUBLE_EQ(kernels.Efficiency(), 180.0 / 230.0);
}

TEST(Tally, DoesNotRoundItsAverage) {
  Tally tally;
  EXPECT_EQ(tally.Average(), 0);
  tally.Add(1);
  tally.Add(2);
  EXPECT_EQ(tally.Average(), 1.5);
  EXPECT_EQ(tally.min, 1);
  EXPECT_EQ(tally.max, 2);
}

}  // namespace
}  // namespace warpsight
