#include "agent/counters/metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace warpsight::agent {
namespace {

bool Has(const std::vector<std::string>& metrics, std::string_view name) {
  return std::ranges::find(metrics, name) != metrics.end();
}

// Names as CUPTI 13.0.1 lists them.
const std::unordered_set<std::string_view> kHopper = {
    "gpu__time_duration",
    "sm__cycles_active",
    "sm__cycles_elapsed",
    "sm__pipe_tensor_cycles_active",
    "dram__bytes_read",
    "dram__bytes_write",
    "sm__inst_executed_pipe_tensor",
    "sm__inst_executed_pipe_tensor_op_gmma",
    "sm__inst_executed_pipe_tensor_op_hmma",
    "sm__inst_executed_pipe_tensor_op_hmma_type_hfma2",
    "sm__inst_executed_pipe_tensor_op_imma",
    "sm__inst_executed_pipe_tensor_op_dmma",
};

TEST(CounterMetrics, OfHopper) {
  const auto metrics = MetricsFor(kHopper, Counting::kEverything);
  EXPECT_EQ(metrics.size(), 11U);
  EXPECT_TRUE(Has(metrics, "dram__bytes_read.sum"));
  EXPECT_TRUE(Has(metrics, "sm__inst_executed_pipe_tensor_op_gmma.sum"));
  EXPECT_TRUE(Has(metrics, "sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum"));
  EXPECT_FALSE(Has(metrics, "sm__inst_executed_pipe_tensor.sum"));
}

TEST(CounterMetrics, WithoutInstructionsForASinglePass) {
  const auto metrics = MetricsFor(kHopper, Counting::kTimeAndBytes);
  EXPECT_EQ(metrics.size(), 6U);
  EXPECT_TRUE(Has(metrics, "gpu__time_duration.sum"));
  EXPECT_TRUE(Has(metrics, "dram__bytes_write.sum"));
  EXPECT_FALSE(Has(metrics, "sm__inst_executed_pipe_tensor_op_gmma.sum"));
}

TEST(CounterMetrics, OtherChipsNameThemDifferently) {
  const auto metrics =
      MetricsFor({"gpu__time_duration", "dram__bytes_op_read", "dram__bytes_op_write",
                  "sm__inst_executed_pipe_tensor", "sm__inst_executed_pipe_tensor_subpipe_hmma",
                  "sm__inst_executed_pipe_tensor_subpipe_imma"},
                 Counting::kEverything);
  EXPECT_EQ(metrics, (std::vector<std::string>{"gpu__time_duration.sum", "dram__bytes_op_read.sum",
                                               "dram__bytes_op_write.sum",
                                               "sm__inst_executed_pipe_tensor_subpipe_hmma.sum",
                                               "sm__inst_executed_pipe_tensor_subpipe_imma.sum"}));
}

TEST(CounterMetrics, AllMatrixInstructionsTogetherWhereKindsAreUnknown) {
  EXPECT_EQ(MetricsFor({"sm__inst_executed_pipe_tensor"}, Counting::kEverything),
            (std::vector<std::string>{"sm__inst_executed_pipe_tensor.sum"}));
  EXPECT_TRUE(MetricsFor({}, Counting::kEverything).empty());
}

TEST(CounterMetrics, ValuesAreWrittenInMillionths) {
  EXPECT_EQ(ToMicros(0), 0);
  EXPECT_EQ(ToMicros(61.2345678), 61'234'568);
  EXPECT_EQ(ToMicros(4.1e9), 4'100'000'000'000'000);
  EXPECT_FALSE(ToMicros(-1));
  EXPECT_FALSE(ToMicros(1e13));
  EXPECT_FALSE(ToMicros(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(ToMicros(std::numeric_limits<double>::infinity()));
}

TEST(CounterMetrics, ValuesThatWereNotCountedAreFound) {
  constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(AreNumbers(std::vector<double>{1, 0, 2.5}));
  EXPECT_FALSE(AreNumbers(std::vector<double>{1, kNothing}));
  EXPECT_TRUE(AreNumbers({}));
}

TEST(CounterMetrics, ValuesGoToAKernelOnlyWhereItWasAlone) {
  EXPECT_TRUE(IsOneKernel(1, 0));
  EXPECT_FALSE(IsOneKernel(0, 0));
  EXPECT_FALSE(IsOneKernel(2, 0));
  EXPECT_FALSE(IsOneKernel(1, 1));
}

}  // namespace
}  // namespace warpsight::agent
