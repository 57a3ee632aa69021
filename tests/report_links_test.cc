// Checks that the link of a row shows the row's subject on the timeline, and that the reports of a
// profile agree.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "analysis/aggregation/op_table.h"
#include "analysis/reporting/table.h"
#include "import_once.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

class ReportLinksTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    range_ = SummarizeRange(profile_);
    for (const Report& report : AllReports()) {
      tables_[std::string(report.id)] = MakeTable(report, {profile_, range_});
    }
  }

  const Table& Of(const std::string& report) const { return *tables_.at(report); }

  std::string Text(const Table& table, size_t row, std::string_view column) const {
    const Cell cell = table.At(row, table.ColumnOf(column));
    const auto* text = std::get_if<std::string_view>(&cell);
    return text == nullptr ? "" : std::string(*text);
  }
  int64_t Number(const Table& table, size_t row, std::string_view column) const {
    const Cell cell = table.At(row, table.ColumnOf(column));
    const auto* number = std::get_if<int64_t>(&cell);
    return number == nullptr ? kMissing : *number;
  }
  std::string_view NameOf(StringId id) const { return profile_.trace.Text(id); }

  const Profile& profile_ = ImportOnce({BundledTracePath(GetParam())});
  RangeSummary range_;
  std::map<std::string, std::unique_ptr<Table>> tables_;
};

TEST_P(ReportLinksTest, PointIntoTheTrace) {
  const TraceTables& t = profile_.trace.tables;
  for (const auto& [id, table] : tables_) {
    for (size_t row = 0; row < table->rows(); ++row) {
      const RowLink link = table->LinkOf(row);
      const bool stretch = link.stretch.end != link.stretch.start;
      EXPECT_LE(IsSet(link.host) + IsSet(link.gpu) + IsSet(link.api) + stretch, 1) << id;
      ASSERT_TRUE(!IsSet(link.host) || Index(link.host) < t.host.start.size()) << id;
      ASSERT_TRUE(!IsSet(link.gpu) || Index(link.gpu) < t.gpu.start.size()) << id;
      ASSERT_TRUE(!IsSet(link.api) || Index(link.api) < t.api.start.size()) << id;
      EXPECT_LE(0, link.stretch.start) << id;
      EXPECT_LE(link.stretch.start, link.stretch.end) << id;
      EXPECT_LE(link.stretch.end, profile_.trace.end) << id;
    }
  }
}

TEST_P(ReportLinksTest, OpsLinkToOneOfTheirCalls) {
  const TraceTables& t = profile_.trace.tables;
  for (const std::string report :
       {"detail", "roofline", "tensor_core", "op_iteration", "op_type"}) {
    const Table& table = Of(report);
    for (size_t row = 0; row < table.rows(); ++row) {
      const RowLink link = table.LinkOf(row);
      const std::string type = Text(table, row, "Op Type");
      if (IsSet(link.gpu)) {
        if (report == "detail") {
          EXPECT_EQ(Text(table, row, "Op Name"), "unassociated_" + type);
        }
        EXPECT_FALSE(IsSet(CountedOp(profile_.facts, profile_.facts.gpu.op[Index(link.gpu)])));
        continue;
      }
      ASSERT_TRUE(IsSet(link.host)) << report << " " << row;
      const std::string_view name = NameOf(t.host.name[Index(link.host)]);
      EXPECT_TRUE(name.ends_with(type)) << report << ": " << name << " for " << type;
      const IterationId iteration = profile_.facts.host.iteration[Index(link.host)];
      if (report == "op_iteration") {
        EXPECT_EQ(profile_.facts.iterations.number[Index(iteration)],
                  Number(table, row, "Iteration"));
      }
    }
  }
}

TEST_P(ReportLinksTest, KernelsLinkToTheirLongestRun) {
  const GpuActivitiesTable& gpu = profile_.trace.tables.gpu;
  const auto check = [&](const std::string& report, std::string_view name, std::string_view max) {
    const Table& table = Of(report);
    for (size_t row = 0; row < table.rows(); ++row) {
      const RowLink link = table.LinkOf(row);
      if (IsSet(link.api)) continue;
      ASSERT_TRUE(IsSet(link.gpu)) << report << " " << row;
      EXPECT_EQ(gpu.duration[Index(link.gpu)], Number(table, row, max)) << report << " " << row;
      if (name.empty()) continue;
      EXPECT_EQ(NameOf(gpu.name[Index(link.gpu)]), Text(table, row, name)) << report << " " << row;
    }
  };
  check("kernel", "Long Kernel Name", "Max GPU Time (ns)");
  check("cuda_gpu_kern_sum", "Name", "Max (ns)");
  check("cuda_gpu_mem_time_sum", "", "Max (ns)");
  check("nvprof", "", "Max (ns)");
  check("nvtx_kern_sum", "Kernel Name", "Max (ns)");
  check("iteration", "Long Kernel Name", "GPU Duration (ns)");
}

TEST_P(ReportLinksTest, CallsAndRangesLinkToTheLongest) {
  const TraceTables& t = profile_.trace.tables;
  const Table& api = Of("cuda_api_sum");
  for (size_t row = 0; row < api.rows(); ++row) {
    const size_t call = Index(api.LinkOf(row).api);
    EXPECT_EQ(NameOf(t.api.name[call]), Text(api, row, "Name"));
    EXPECT_EQ(t.api.duration[call], Number(api, row, "Max (ns)"));
  }
  const Table& ranges = Of("nvtx_sum");
  for (size_t row = 0; row < ranges.rows(); ++row) {
    const RowLink link = ranges.LinkOf(row);
    if (!IsSet(link.host)) {  // an NVTX range, which may not be a host range
      EXPECT_EQ(link.stretch.end - link.stretch.start, Number(ranges, row, "Max (ns)"));
      continue;
    }
    const size_t host = Index(link.host);
    EXPECT_EQ(":" + std::string(NameOf(t.host.name[host])), Text(ranges, row, "Range"));
    EXPECT_EQ(t.host.duration[host], Number(ranges, row, "Max (ns)"));
  }
}

TEST_P(ReportLinksTest, IntervalsAreAsLongAsTheirRow) {
  const auto length = [](const RowLink& link) { return link.stretch.end - link.stretch.start; };
  for (const std::string report : {"steps", "iteration_kernels"}) {
    const Table& table = Of(report);
    const std::string_view duration = report == "steps" ? "Batch Cost (ns)" : "Duration (ns)";
    ASSERT_GT(table.rows(), 0u);
    for (size_t row = 0; row < table.rows(); ++row) {
      EXPECT_EQ(length(table.LinkOf(row)), Number(table, row, duration));
      EXPECT_EQ(table.LinkOf(row).stretch.start, Number(table, row, "Start (ns)"));
    }
  }
  const Table& gaps = Of("gaps");
  for (size_t row = 0; row < gaps.rows(); ++row) {
    EXPECT_EQ(length(gaps.LinkOf(row)), Number(gaps, row, "Max (ns)"));
  }
}

// The iterations of an op add up to the op, in time and in kernels; both reports have the same ids.
TEST_P(ReportLinksTest, OpsByIterationAddUpToOps) {
  std::map<std::string, std::pair<int64_t, int64_t>> sums;
  const Table& parts = Of("op_iteration");
  for (size_t row = 0; row < parts.rows(); ++row) {
    auto& [time, kernels] = sums[Text(parts, row, "Op ID")];
    time += Number(parts, row, "GPU Time (ns)");
    kernels += Number(parts, row, "Kernels");
  }
  const Table& ops = Of("detail");
  for (size_t row = 0; row < ops.rows(); ++row) {
    const std::pair whole(Number(ops, row, "Total GPU Time (ns)"),
                          Number(ops, row, "Kernel Calls"));
    EXPECT_EQ(sums[Text(ops, row, "Op ID")], whole) << Text(ops, row, "Op Name");
  }
  EXPECT_EQ(sums.size(), ops.rows());
}

TEST_P(ReportLinksTest, GroupsSumTheirPartsAndAllOps) {
  const Table& groups = Of("group_op");
  for (const std::string what : {"GPU", "CPU"}) {
    const std::string total = "Total " + what + " Time (ns)";
    int64_t all = 0;
    for (size_t row = 0; row < Of("detail").rows(); ++row) all += Number(Of("detail"), row, total);
    for (size_t row = 0; row < groups.rows(); ++row) {
      int64_t parts = 0;
      for (const char* part : {"Fprop ", "Bprop ", "Optimizer ", "Other "}) {
        parts += Number(groups, row, part + what + " Time (ns)");
      }
      const std::string name = Text(groups, row, "Name");
      EXPECT_EQ(parts, Number(groups, row, total)) << name;
      if (name == "_CompleteModel_") {
        EXPECT_EQ(parts, all);
      }
    }
  }
}

// The kernels of the aggregated iterations, counted in three ways.
TEST_P(ReportLinksTest, ReportsCountTheSameKernels) {
  int64_t by_gpu = 0;
  for (size_t row = 0; row < Of("gpus").rows(); ++row) {
    by_gpu += Number(Of("gpus"), row, "Kernels");
  }
  int64_t by_iteration = 0;
  for (size_t row = 0; row < Of("iteration_kernels").rows(); ++row) {
    if (Number(Of("iteration_kernels"), row, "Aggregated") == 0) continue;
    by_iteration += Number(Of("iteration_kernels"), row, "Kernels");
  }
  int64_t by_op = 0;
  for (size_t row = 0; row < Of("detail").rows(); ++row) {
    by_op += Number(Of("detail"), row, "Kernel Calls");
  }
  EXPECT_EQ(by_gpu, by_op);
  EXPECT_EQ(by_iteration, by_op);
}

INSTANTIATE_TEST_SUITE_P(Traces, ReportLinksTest, ::testing::ValuesIn(BundledTraces()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace warpsight::testing
