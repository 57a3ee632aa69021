#include "analysis/roofline/speed_of_light.h"

#include <gtest/gtest.h>

#include "analysis/facts/counters.h"

namespace warpsight {
namespace {

// 100 TFLOP/s of matrix products, 10 of other arithmetic, 1 TB/s: the ridge is at 100 FLOP/B.
GpuPeaks TestPeaks() {
  GpuPeaks peaks;
  peaks.bandwidth = 1e12;
  peaks.fp32 = 10e12;
  peaks.bf16 = 100e12;
  return peaks;
}

OpCost Cost(double flops, double bytes, double matrix_flops = 0) {
  OpCost cost;
  cost.gap = CostGap::kNone;
  cost.flops = flops;
  cost.bytes = bytes;
  cost.matrix_flops = matrix_flops;
  cost.precision = Precision::kBf16;
  cost.family = "test";
  return cost;
}

TEST(SpeedOfLightTest, IsTheLongerOfArithmeticAndTraffic) {
  // 1e9 FLOP at 100 TFLOP/s: 10 µs; 1e6 B at 1 TB/s: 1 µs.
  EXPECT_DOUBLE_EQ(SpeedOfLightNs(Cost(1e9, 1e6, 1e9), TestPeaks()), 10000);
  // The same arithmetic outside matrix products: 100 µs.
  EXPECT_DOUBLE_EQ(SpeedOfLightNs(Cost(1e9, 1e6), TestPeaks()), 100000);
  EXPECT_DOUBLE_EQ(SpeedOfLightNs(Cost(1e3, 1e6), TestPeaks()), 1000);
  // The two kinds do not overlap: 10 µs + 100 µs.
  EXPECT_DOUBLE_EQ(SpeedOfLightNs(Cost(2e9, 1e6, 1e9), TestPeaks()), 110000);
  // Traffic alone is a bound if the arithmetic is unknown, but not for matrix products.
  EXPECT_DOUBLE_EQ(SpeedOfLightNs(Cost(kMissingReal, 1e6), TestPeaks()), 1000);
  GpuPeaks no_bf16 = TestPeaks();
  no_bf16.bf16 = kMissingReal;
  EXPECT_LT(SpeedOfLightNs(Cost(1e9, 1e6, 1e9), no_bf16), 0);
}

TEST(SpeedOfLightTest, Quadrants) {
  const auto at = [](double flops, double bytes, DurationNs time) {
    return MakeRoofline(Cost(flops, bytes, flops), time, TestPeaks());
  };
  // 10 µs of arithmetic in 12.5 µs: 80 % of the peak.
  const Roofline compute = at(1e9, 1e6, 12500);
  EXPECT_DOUBLE_EQ(compute.intensity, 1000);
  EXPECT_DOUBLE_EQ(compute.flop_rate, 80e12);
  EXPECT_DOUBLE_EQ(compute.byte_rate, 80e9);
  EXPECT_DOUBLE_EQ(compute.compute_share, 0.8);
  EXPECT_DOUBLE_EQ(compute.bandwidth_share, 0.08);
  EXPECT_DOUBLE_EQ(compute.efficiency, 0.8);
  EXPECT_EQ(compute.limit, Limit::kCompute);
  EXPECT_EQ(compute.quadrant, Quadrant::kCompute);

  const Roofline memory = at(1e6, 1e7, 12500);
  EXPECT_EQ(memory.limit, Limit::kMemory);
  EXPECT_EQ(memory.quadrant, Quadrant::kMemory);
  EXPECT_DOUBLE_EQ(memory.efficiency, 0.8);

  EXPECT_EQ(at(1e9, 1e7, 12500).quadrant, Quadrant::kBoth);
  // Half of the peak: neither reached nor far from it.
  EXPECT_EQ(at(1e9, 1e6, 20000).quadrant, Quadrant::kNeither);
  EXPECT_EQ(at(1e9, 1e6, 20000).limit, Limit::kCompute);
  // Unknown arithmetic of work that only moves data.
  EXPECT_EQ(MakeRoofline(Cost(kMissingReal, 1e7), 12500, TestPeaks()).limit, Limit::kMemory);
  EXPECT_EQ(MakeRoofline(Cost(kMissingReal, 1e7), 12500, TestPeaks()).quadrant, Quadrant::kMemory);
  EXPECT_EQ(MakeRoofline(Cost(kMissingReal, 1e6), 12500, TestPeaks()).limit, Limit::kLatency);
  // A tenth of the peak.
  EXPECT_EQ(at(1e9, 1e6, 100000).limit, Limit::kLatency);
}

TEST(SpeedOfLightTest, NotAvailableRatherThanZero) {
  const Roofline unknown = MakeRoofline(OpCost(), 1000, TestPeaks());
  EXPECT_LT(unknown.flop_rate, 0);
  EXPECT_LT(unknown.speed_of_light_ns, 0);
  EXPECT_EQ(unknown.limit, Limit::kUnknown);
  // An unknown GPU: rates are known, shares are not.
  const Roofline no_peaks = MakeRoofline(Cost(1e9, 1e6, 1e9), 10000, GpuPeaks());
  EXPECT_DOUBLE_EQ(no_peaks.flop_rate, 100e12);
  EXPECT_LT(no_peaks.compute_share, 0);
  EXPECT_LT(no_peaks.efficiency, 0);
  EXPECT_EQ(no_peaks.quadrant, Quadrant::kUnknown);
  // No time.
  EXPECT_LT(MakeRoofline(Cost(1e9, 1e6, 1e9), 0, TestPeaks()).flop_rate, 0);
}

TEST(SpeedOfLightTest, Sums) {
  OpCost sum;
  Accumulate(sum, Cost(10, 100));
  Accumulate(sum, Cost(20, 200, 20));
  EXPECT_DOUBLE_EQ(sum.flops, 30);
  EXPECT_DOUBLE_EQ(sum.bytes, 300);
  EXPECT_DOUBLE_EQ(sum.matrix_flops, 20);
  Accumulate(sum, Cost(kMissingReal, 1));
  EXPECT_LT(sum.flops, 0);
  EXPECT_DOUBLE_EQ(sum.bytes, 301);
}

TEST(CountersTest, ReadsKnownCounters) {
  const MeasuredWork work = ReadCounters(
      R"({"stream": 7, "dram__bytes_read.sum": 1000, "dram__bytes_write.sum": 500.0,
          "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum": 100,
          "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum": 10,
          "smsp__sass_thread_inst_executed_op_hfma_pred_on.sum": 1})");
  EXPECT_DOUBLE_EQ(work.bytes, 1500);
  EXPECT_DOUBLE_EQ(work.flops, 2 * 100 + 10 + 2 * 1);
  EXPECT_DOUBLE_EQ(ReadCounters(R"({"dram__bytes.sum":42})").bytes, 42);
  EXPECT_FALSE(ReadCounters("").any());
  EXPECT_FALSE(ReadCounters(R"({"bytes": 5, "name": "dram__bytes.sum"})").any());
  // Tensor Core instructions without their operations: the amount of arithmetic is unknown.
  const MeasuredWork tensor = ReadCounters(
      R"({"sm__inst_executed_pipe_tensor.sum":5,
          "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum":1})");
  EXPECT_LT(tensor.flops, 0);
  EXPECT_DOUBLE_EQ(ReadCounters(R"({"sm__ops_path_tensor_src_bf16_dst_fp32.sum":4096})").flops,
                   4096);
}

TEST(CountersTest, DamagedTexts) {
  const std::string text = R"({"dram__bytes.sum": 1e3, "x": "y"})";
  for (size_t cut = 0; cut <= text.size(); ++cut) ReadCounters(text.substr(0, cut));
}

}  // namespace
}  // namespace warpsight
