#include "analysis/roofline/captured_costs.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/roofline/cost_model.h"
#include "analysis/testing/hand_made_profile.h"

namespace warpsight {
namespace {

constexpr double kMm = 2. * 64 * 16 * 32;
constexpr std::string_view kDims = "[[64,32],[32,16]]";

// A product that ran once outside a graph and was then captured.
class CapturedCostsTest : public ::testing::Test {
 protected:
  HostId Mm(TimeNs start, std::string_view dims = kDims, std::string_view path = "Net/fc") {
    const HostId op = made_.Op("aten::mm", start, 50);
    made_.Inputs(op, dims, R"(["float","float"])", R"(["",""])");
    made_.Path(op, path);
    return op;
  }

  void Launch(HostId op, std::string_view name, TimeNs start, DurationNs duration) {
    made_.Kernel(name, start, duration, made_.Api("cudaLaunchKernel", start - 5, 2, op));
  }

  ApiId Replay(TimeNs start) { return made_.Api("cudaGraphLaunch", start, 5); }

  GpuId Replayed(ApiId replay, std::string_view name, TimeNs start, DurationNs duration,
                 std::string_view path = "Net/fc") {
    const GpuId gpu = made_.Kernel(name, start, duration, replay);
    made_.NamedOp(gpu, path, "aten::mm", "", 7);
    return gpu;
  }

  CostModel Model() {
    made_.Family("gemm", "gemm");
    made_.Family("sum", "reduction");
    return CostModel(made_.Finish());
  }

  HandMadeProfile made_{2};
};

TEST_F(CapturedCostsTest, AReplayedKernelHasTheCostOfTheCallOutsideTheGraph) {
  Launch(Mm(10), "gemm", 70, 30);
  Mm(110);  // captured: launches nothing
  const ApiId replay = Replay(200);
  const GpuId gemm = Replayed(replay, "gemm", 210, 20);
  const GpuId other = Replayed(replay, "gemm", 240, 20, "Net/other");
  const CostModel model = Model();
  EXPECT_TRUE(model.IsStated(gemm));
  EXPECT_DOUBLE_EQ(model.CostOf(gemm).flops, kMm);
  EXPECT_FALSE(model.CostOf(other).known());
  EXPECT_EQ(model.CostOf(other).gap, CostGap::kGraph);
}

TEST_F(CapturedCostsTest, HelpersHaveNoCostAndSplitKernelsShareIt) {
  const HostId mm = Mm(10);
  Launch(mm, "gemm", 70, 30);
  Launch(mm, "gemm", 110, 30);
  Launch(mm, "sum", 150, 10);
  const ApiId replay = Replay(300);
  const GpuId first = Replayed(replay, "gemm", 310, 30);
  const GpuId second = Replayed(replay, "gemm", 350, 10);
  const GpuId sum = Replayed(replay, "sum", 370, 10);
  const CostModel model = Model();
  EXPECT_FLOAT_EQ(static_cast<float>(model.CostOf(first).flops), 0.75F * kMm);
  EXPECT_FLOAT_EQ(static_cast<float>(model.CostOf(second).flops), 0.25F * kMm);
  EXPECT_EQ(model.CostOf(sum).gap, CostGap::kAuxiliaryKernel);
}

TEST_F(CapturedCostsTest, AnOpThatIsTwiceInTheGraphCostsTwice) {
  Launch(Mm(10), "gemm", 70, 30);
  const ApiId replay = Replay(300);
  const GpuId first = Replayed(replay, "gemm", 310, 30);
  const GpuId second = Replayed(replay, "gemm", 350, 10);
  const CostModel model = Model();
  EXPECT_DOUBLE_EQ(model.CostOf(first).flops, kMm);
  EXPECT_DOUBLE_EQ(model.CostOf(second).flops, kMm);
}

TEST_F(CapturedCostsTest, WithOtherInputsInTheCaptureTheCostIsUnknown) {
  Launch(Mm(10), "gemm", 70, 30);
  Mm(110, "[[128,32],[32,16]]");  // captured
  const GpuId gemm = Replayed(Replay(200), "gemm", 210, 20);
  const CostModel model = Model();
  EXPECT_FALSE(model.CostOf(gemm).known());
  EXPECT_EQ(model.CostOf(gemm).gap, CostGap::kGraph);
}

TEST_F(CapturedCostsTest, KernelsOfIncompleteCallsHaveNoCost) {
  const HostId mm = Mm(10);
  Launch(mm, "gemm", 70, 30);
  Launch(mm, "gemm", 110, 30);
  Launch(mm, "sum", 150, 10);
  const ApiId replay = Replay(300);
  const GpuId gemm = Replayed(replay, "gemm", 310, 30);
  const GpuId sum = Replayed(replay, "sum", 370, 10);
  const CostModel model = Model();
  EXPECT_FALSE(model.CostOf(gemm).known());
  EXPECT_EQ(model.CostOf(sum).gap, CostGap::kGraph);
}

}  // namespace
}  // namespace warpsight
