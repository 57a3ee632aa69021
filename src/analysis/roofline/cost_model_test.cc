#include "analysis/roofline/cost_model.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "analysis/roofline/model_flops.h"
#include "analysis/testing/hand_made_profile.h"

namespace warpsight {
namespace {

constexpr double kMm = 2. * 64 * 16 * 32;

// A profile in which each test writes an mm inside a linear.
class CostModelTest : public ::testing::Test {
 protected:
  HostId Mm(TimeNs start, DurationNs duration, HostId inside = kNone<HostId>) {
    const HostId op = made_.Op("aten::mm", start, duration, Direction::kForward, inside);
    made_.Inputs(op, "[[64,32],[32,16]]", R"(["float","float"])", R"(["",""])");
    return op;
  }

  // A kernel that `op` launches.
  GpuId Launch(HostId op, std::string_view name, TimeNs start, DurationNs duration,
               std::string_view family = "", TensorCores tensor_cores = TensorCores::kNo) {
    const ApiId api = made_.Api("cudaLaunchKernel", start - 5, 2, op);
    const GpuId gpu = made_.Kernel(name, start, duration, api, tensor_cores);
    made_.Family(name, family);
    return gpu;
  }

  HandMadeProfile made_{1};
};

TEST_F(CostModelTest, OpsThatOnlyCallOthersCostTheirSum) {
  const HostId linear = made_.Op("aten::linear", 10, 100);
  made_.Inputs(linear, "[[64,32],[16,32],[]]", R"(["double","double",""])", R"(["","",""])");
  const HostId mm = Mm(20, 50, linear);
  Launch(mm, "gemm", 200, 100, "gemm");
  const CostModel model(made_.Finish());
  EXPECT_DOUBLE_EQ(model.CostOf(mm).flops, kMm);
  // linear's own formula would give fp64.
  EXPECT_DOUBLE_EQ(model.CostOf(linear).flops, kMm);
  EXPECT_EQ(model.CostOf(linear).precision, Precision::kFp32);
  const auto gemm = model.GemmOf(linear);
  ASSERT_TRUE(gemm);
  EXPECT_EQ(gemm->n, 16);
  EXPECT_EQ(gemm->a, ElementType::kFp32);
  EXPECT_FALSE(model.ConvOf(linear));
}

TEST_F(CostModelTest, UnknownOpsCostTheSumOfInnerOps) {
  const HostId outer = made_.Op("my::block", 10, 200);
  const HostId first = Mm(20, 50, outer);
  const HostId second = Mm(80, 50, outer);
  const HostId idle = Mm(140, 50, outer);  // launches nothing: a CPU tensor
  Launch(first, "gemm", 300, 100, "gemm");
  Launch(second, "gemm", 400, 100, "gemm");
  const CostModel model(made_.Finish());
  EXPECT_DOUBLE_EQ(model.CostOf(outer).flops, 2 * kMm);
  EXPECT_EQ(model.CostOf(idle).gap, CostGap::kNoGpuWork);
}

TEST_F(CostModelTest, WorkWithoutAFormulaMakesTheOuterOpUnknown) {
  const HostId outer = made_.Op("my::block", 10, 200);
  const HostId known = Mm(20, 50, outer);
  const HostId unknown = made_.Op("my::kernel", 80, 50, Direction::kForward, outer);
  Launch(known, "gemm", 300, 100, "gemm");
  Launch(unknown, "mine", 400, 100);
  const CostModel model(made_.Finish());
  EXPECT_TRUE(model.CostOf(known).known());
  EXPECT_EQ(model.CostOf(unknown).gap, CostGap::kUnknownOp);
  EXPECT_EQ(model.CostOf(outer).gap, CostGap::kPartly);
}

TEST_F(CostModelTest, KernelsShareTheCostOfTheirOp) {
  const HostId mm = Mm(10, 100);
  const GpuId first = Launch(mm, "gemm_a", 200, 300, "gemm");
  const GpuId second = Launch(mm, "gemm_b", 500, 100, "gemm");
  const GpuId helper = Launch(mm, "reduce", 600, 50, "reduction");
  const CostModel model(made_.Finish());
  EXPECT_DOUBLE_EQ(model.CostOf(first).flops, kMm * 0.75);
  EXPECT_DOUBLE_EQ(model.CostOf(second).flops, kMm * 0.25);
  EXPECT_EQ(model.CostOf(helper).gap, CostGap::kAuxiliaryKernel);
}

TEST_F(CostModelTest, Fp32OnTensorCoresIsTf32) {
  const HostId with = Mm(10, 10);
  const HostId without = Mm(30, 10);
  const GpuId kernel = Launch(with, "tc", 100, 10, "gemm", TensorCores::kYes);
  Launch(without, "simt", 120, 10, "gemm");
  const CostModel model(made_.Finish());
  EXPECT_EQ(model.CostOf(with).precision, Precision::kTf32);
  EXPECT_EQ(model.CostOf(kernel).precision, Precision::kTf32);
  EXPECT_EQ(model.CostOf(without).precision, Precision::kFp32);
}

TEST_F(CostModelTest, CopiesFromTheHostAreNotCompared) {
  const HostId copy = made_.Op("aten::copy_", 10, 100);
  made_.Inputs(copy, "[[100],[100],[]]", R"(["float","float","Scalar"])", R"(["","","False"])");
  const ApiId api = made_.Api("cudaMemcpyAsync", 20, 5, copy);
  const GpuId gpu = made_.Copy("Memcpy HtoD", 200, 50, api);
  made_.Bytes(gpu, 400, CopyDirection::kHostToDevice);
  const GpuId within = made_.Copy("Memcpy DtoD", 300, 50);
  made_.Bytes(within, 400, CopyDirection::kDeviceToDevice);
  const CostModel model(made_.Finish());
  EXPECT_EQ(model.CostOf(copy).gap, CostGap::kHostCopy);
  EXPECT_EQ(model.CostOf(gpu).gap, CostGap::kHostCopy);
  // Within the GPU, every byte is read and written.
  EXPECT_DOUBLE_EQ(model.CostOf(within).bytes, 800);
}

TEST_F(CostModelTest, CountersReplaceEstimates) {
  const HostId mm = Mm(10, 100);
  const GpuId gpu = Launch(mm, "gemm", 200, 100, "gemm");
  made_.GpuArgs(gpu, R"({"dram__bytes.sum": 123456,
                         "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum": 1000})");
  const CostModel model(made_.Finish());
  for (const OpCost& cost : {model.CostOf(mm), model.CostOf(gpu)}) {
    EXPECT_TRUE(cost.measured);
    EXPECT_DOUBLE_EQ(cost.bytes, 123456);
    EXPECT_DOUBLE_EQ(cost.flops, 2000);
    EXPECT_DOUBLE_EQ(cost.matrix_flops, 2000);
  }
}

TEST_F(CostModelTest, CountersOfOnlySomeKernelsAreNotUsed) {
  const HostId mm = Mm(10, 100);
  const GpuId gpu = Launch(mm, "gemm", 200, 100, "gemm");
  Launch(mm, "gemm", 300, 100, "gemm");
  made_.GpuArgs(gpu, R"({"dram__bytes.sum": 123456})");
  const CostModel model(made_.Finish());
  EXPECT_FALSE(model.CostOf(mm).measured);
  EXPECT_TRUE(model.CostOf(gpu).measured);
}

TEST_F(CostModelTest, ModelFlopsUtilization) {
  const HostId mm = Mm(10, 100);
  Launch(mm, "gemm", 200, 100, "gemm");
  ProfileView profile = made_.Finish();
  RangeSummary range;
  range.wall = 1000;
  range.windows = {{0, 1000}};
  const ModelFlops unknown = ComputeModelFlops(profile, range, CostModel(profile));
  EXPECT_DOUBLE_EQ(unknown.flops_per_iteration, kMm);
  EXPECT_LT(unknown.utilization, 0);
  EXPECT_EQ(unknown.reason, "the peaks of the GPU are unknown");

  const auto peaks = ParsePeaks("fp32=1,bandwidth=1000");
  const ModelFlops known = ComputeModelFlops(profile, range, CostModel(profile, *peaks));
  // 65,536 FLOP in 1 µs of 1 TFLOP/s
  EXPECT_DOUBLE_EQ(known.utilization, kMm / 1e6);
  EXPECT_EQ(known.precision, Precision::kFp32);
}

TEST_F(CostModelTest, NoModelFlopsIfMuchIsUnknown) {
  const HostId mm = Mm(10, 100);
  const HostId unknown = made_.Op("my::gemm", 120, 50);
  Launch(mm, "gemm", 200, 100, "gemm");
  Launch(unknown, "my_gemm", 300, 100, "gemm");
  ProfileView profile = made_.Finish();
  RangeSummary range;
  range.wall = 1000;
  range.windows = {{0, 1000}};
  const ModelFlops flops = ComputeModelFlops(profile, range, CostModel(profile));
  EXPECT_LT(flops.flops_per_iteration, 0);
  EXPECT_EQ(flops.reason, "50 % of the time of kernels that do matrix products has no known FLOPs");
}

}  // namespace
}  // namespace warpsight
