#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "analysis/reporting/report.h"
#include "analysis/screens/one_screen.h"
#include "analysis/testing/hand_made_profile.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

// Tests the effect of hardware counters on reports.
namespace warpsight {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string Shown(const Cell& cell) {
  if (const auto* integer = std::get_if<int64_t>(&cell)) return std::to_string(*integer);
  if (const auto* text = std::get_if<std::string_view>(&cell)) return std::string(*text);
  if (const auto* real = std::get_if<double>(&cell)) return std::to_string(std::llround(*real));
  return "-";
}

// Stores the rows of a report as texts by column name.
class Rows : public RowSink {
 public:
  Rows(std::string_view id, const ReportInput& input) {
    const std::vector<Report> all = AllReports();
    report_ = *std::find_if(all.begin(), all.end(), [&](const Report& r) { return r.id == id; });
    report_.compute(input, *this);
  }
  void Row(std::span<const Cell> cells) override {
    ASSERT_EQ(cells.size(), report_.columns.size());
    auto& row = rows_.emplace_back();
    for (size_t i = 0; i < cells.size(); ++i) row[report_.columns[i].name] = Shown(cells[i]);
  }
  void Note(std::string_view) override {}

  // The cell in column `wanted` of the first row whose `column` is `value`.
  std::string At(std::string_view column, std::string_view value, std::string_view wanted) {
    for (auto& row : rows_) {
      if (row[column] == value) return row[wanted];
    }
    return "no such row";
  }

 private:
  Report report_;
  std::vector<std::map<std::string_view, std::string>> rows_;
};

class MeasuredReportsTest : public testing::Test {
 protected:
  MeasuredReportsTest() {
    range_.first = range_.last = 0;
    range_.total = 1;
    range_.windows = {{0, 1000}};
    range_.wall = range_.average_iteration = range_.capacity = 1000;
    peaks_.bandwidth = 100e9;  // 100 bytes per ns
    const HostId mm = made_.Op("aten::mm", 10, 50);
    made_.Inputs(mm, "[[64,32],[32,16]]", R"(["float","float"])", R"(["",""])");
    const HostId relu = made_.Op("aten::relu", 100, 50);
    Launch(mm, "gemm", 8, 200, 60, TensorCores::kYes);
    Launch(mm, "gemm", 16, 300, 40, TensorCores::kYes);
    Launch(relu, "relu_kernel", 4, 400, 10, TensorCores::kNo);
    Launch(relu, "other_kernel", 4, 500, 10, TensorCores::kNo);
    // Two launches with one grid, one with another, and none with a grid that was not measured.
    made_.Counted("gemm", 8, 12, 1000, 200, 80);
    made_.Counted("gemm", 8, 12, 2000, 400, 60);
    made_.Counted("gemm", 16, 12, 700, 500, 20);
    made_.Counted("relu_kernel", 4, 0, 300, 100);
    made_.Counted("other_kernel", 5, 0, 300, 100);
  }

  void Launch(HostId op, std::string_view name, int64_t grid, TimeNs start, DurationNs duration,
              TensorCores tensor_cores) {
    const ApiId api = made_.Api("cudaLaunchKernel", start - 100, 2, op);
    made_.Grid(made_.Kernel(name, start, duration, api, tensor_cores), grid);
  }

  ReportInput Input() { return {made_.Finish(range_), range_, peaks_}; }

  HandMadeProfile made_{1};
  RangeSummary range_;
  GpuPeaks peaks_;
};

TEST_F(MeasuredReportsTest, RooflineAndSpeedOfLightHaveMeasuredBytes) {
  Rows roofline("roofline", Input());
  // The means are 1800 + 1200 bytes, in 100 ns of kernels, at 100 bytes per ns.
  EXPECT_EQ(roofline.At("Op Type", "mm", "Measured DRAM Bytes"), "3000");
  EXPECT_EQ(roofline.At("Op Type", "mm", "Measured Memory (%)"), "30");
  EXPECT_EQ(roofline.At("Op Type", "mm", "Bytes"), "14336") << "as shapes say, still";
  EXPECT_EQ(roofline.At("Op Type", "mm", "Source"), "estimated");
  EXPECT_EQ(roofline.At("Op Type", "relu", "Measured DRAM Bytes"), "-")
      << "of one of its kernels nothing is known";
  Rows sol("sol", Input());
  EXPECT_EQ(sol.At("Kernel Name", "relu_kernel", "Measured DRAM Bytes"), "400");
  EXPECT_EQ(sol.At("Kernel Name", "relu_kernel", "Measured Memory (%)"), "40");
  EXPECT_EQ(sol.At("Kernel Name", "other_kernel", "Measured DRAM Bytes"), "-");
}

TEST_F(MeasuredReportsTest, BytesOfSinglePassLaunchesArePreferred) {
  made_.Counted("relu_kernel", 4, kMissing, 250, 50, 0, 1);
  made_.Counted("relu_kernel", 4, kMissing, 270, 50, 0, 1);
  Rows sol("sol", Input());
  EXPECT_EQ(sol.At("Kernel Name", "relu_kernel", "Measured DRAM Bytes"), "310");
}

TEST_F(MeasuredReportsTest, KernelsShowTheSourceOfTensorCoreUse) {
  made_.Measured("gemm", 3);
  Rows kernels("kernel", Input());
  EXPECT_EQ(kernels.At("Kernel Name", "gemm", "TC Source"), "measured");
  EXPECT_EQ(kernels.At("Kernel Name", "relu_kernel", "TC Source"), "by name");
  // 70 % in 60 ns and 20 % in 40 ns.
  EXPECT_EQ(kernels.At("Kernel Name", "gemm", "Tensor Active (%)"), "50");
  EXPECT_EQ(kernels.At("Kernel Name", "gemm", "SM Active (%)"), "50");
  EXPECT_EQ(kernels.At("Kernel Name", "gemm", "Measured DRAM Bytes"), "3000");
}

TEST_F(MeasuredReportsTest, TheSummarySaysMeasuredIfAllKernelsWereMeasured) {
  EXPECT_THAT(OneScreen(Input(), {}), Not(HasSubstr("measured")));
  made_.Measured("gemm", 3);
  EXPECT_THAT(OneScreen(Input(), {}),
              HasSubstr("100.0 % (measured) of the kernel time in eligible ops uses them"));
}

}  // namespace
}  // namespace warpsight
