// Reports about the ops of one profile must have equal sums.
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "analysis/reporting/report.h"
#include "analysis/testing/two_steps.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace warpsight {
namespace {

// Sums the numeric columns of a report.
class SumSink : public RowSink {
 public:
  explicit SumSink(const Report& report) : report_(report), sums_(report.columns.size()) {}
  void Row(std::span<const Cell> cells) override {
    ASSERT_EQ(cells.size(), sums_.size());
    for (size_t i = 0; i < cells.size(); ++i) {
      if (const auto* value = std::get_if<int64_t>(&cells[i])) sums_[i] += *value;
    }
    ++rows_;
  }
  void Note(std::string_view) override {}

  int64_t Sum(std::string_view column) const {
    for (size_t i = 0; i < sums_.size(); ++i) {
      if (report_.columns[i].name == column) return sums_[i];
    }
    ADD_FAILURE() << report_.id << " has no column " << column;
    return -1;
  }
  int rows() const { return rows_; }

 private:
  const Report& report_;
  std::vector<int64_t> sums_;
  int rows_ = 0;
};

TEST(OpReports, Agree) {
  HandMadeProfile hand_made = TwoSteps();
  ProfileView profile = hand_made.Finish();
  RangeSummary range;
  range.first = range.last = 1;
  range.total = 2;
  const ReportInput input{profile, range};
  std::map<std::string_view, SumSink> sums;
  const std::vector<Report> reports = AllReports();
  for (const Report& report : reports) {
    for (const std::string_view id : {"detail", "op_type", "kernel", "iteration", "tensor_core"}) {
      if (report.id != id) continue;
      report.compute(input, sums.try_emplace(id, report).first->second);
    }
  }
  ASSERT_EQ(sums.size(), 5U);
  for (const std::string_view column : {"Total CPU Time (ns)", "Total GPU Time (ns)",
                                        "Total CPU Overhead (ns)", "Total GPU Idle (ns)"}) {
    EXPECT_EQ(sums.at("detail").Sum(column), sums.at("op_type").Sum(column)) << column;
  }
  EXPECT_EQ(sums.at("detail").Sum("No. Calls"), sums.at("op_type").Sum("# Calls"));
  EXPECT_EQ(sums.at("kernel").Sum("Total GPU Time (ns)"),
            sums.at("iteration").Sum("GPU Duration (ns)"));
  EXPECT_EQ(sums.at("iteration").rows(), 8);
  EXPECT_EQ(sums.at("tensor_core").rows(), 2);  // linear and mm
}

}  // namespace
}  // namespace warpsight
