// The dashboard's numbers equal those of the reports.
#include "analysis/screens/dashboard.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/advice/stored_advice.h"
#include "analysis/reporting/table.h"
#include "import_once.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

using simdjson::dom::element;

class DashboardTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    range_ = SummarizeRange(profile_);
    dashboard_ = parser_.parse(DashboardJson({profile_, range_}));
    for (const Report& report : AllReports()) {
      if (report.id == "iteration") continue;
      tables_[std::string(report.id)] = MakeTable(report, {profile_, range_});
    }
    const Table& summary = *tables_["summary"];
    for (size_t row = 0; row < summary.rows(); ++row) {
      const auto text = [&](size_t column) {
        return std::string(std::get<std::string_view>(summary.At(row, column)));
      };
      summary_[text(0) + "/" + text(1)] = summary.At(row, 2);
    }
  }

  // A number of the summary report; NaN where it is not available.
  double Summary(const std::string& name) {
    EXPECT_TRUE(summary_.contains(name)) << name;
    const Cell cell = summary_[name];
    if (const auto* integer = std::get_if<int64_t>(&cell)) return static_cast<double>(*integer);
    if (const auto* real = std::get_if<double>(&cell)) return *real;
    return std::nan("");
  }
  static double Number(element value) {
    if (value.is_null()) return std::nan("");
    return value.is_double() ? value.get_double().value()
                             : static_cast<double>(value.get_int64().value());
  }
  void ExpectSame(element value, const std::string& name) {
    const double expected = Summary(name);
    const double actual = Number(value);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(actual)) << name << " is " << actual;
    } else {
      EXPECT_EQ(actual, expected) << name;
    }
  }
  element Entry(std::string_view id) {
    for (const element entry : dashboard_["summary"].get_array()) {
      if (entry["id"].get_string().value() == id) return entry["value"];
    }
    ADD_FAILURE() << id;
    return {};
  }

  const Profile& profile_ = ImportOnce({BundledTracePath(GetParam())});
  RangeSummary range_;
  simdjson::dom::parser parser_;
  element dashboard_;
  std::map<std::string, std::unique_ptr<Table>> tables_;
  std::map<std::string, Cell> summary_;
};

TEST_P(DashboardTest, NumbersEqualThoseOfTheSummary) {
  ExpectSame(Entry("wall_clock"), "Time/Wall Clock Time");
  ExpectSame(Entry("tensor_core_efficiency"), "Time/Tensor Core Kernel Efficiency");
  ExpectSame(dashboard_["tensor_cores"]["percent"], "Time/Tensor Core Kernel Efficiency");
  ExpectSame(Entry("gpu_utilization"), "Time/GPU Utilization");
  ExpectSame(dashboard_["gpu_utilization"]["percent"], "Time/GPU Utilization");
  ExpectSame(dashboard_["gpu_utilization"]["with_copies_percent"],
             "Time/GPU Utilization With Copies");
  ExpectSame(Entry("total_iterations"), "Iterations/Total Iterations");
  ExpectSame(Entry("profiled_iterations"), "Iterations/Aggregated Iterations");
  ExpectSame(Entry("start_iteration"), "Iterations/Start Iteration");
  ExpectSame(Entry("stop_iteration"), "Iterations/Stop Iteration");
  ExpectSame(Entry("average_iteration"), "Iterations/Average Iteration Time");
  ExpectSame(dashboard_["step"]["deviation_ns"], "Iterations/Iteration Time Standard Deviation");
  const std::pair<const char*, const char*> kParts[] = {{"all", "All kernels"},
                                                        {"tensor_cores", "Kernels using TC"},
                                                        {"memory", "Memory"},
                                                        {"other", "All other kernels"}};
  for (const auto& [id, name] : kParts) {
    ExpectSame(dashboard_["kernels"][id]["gpu_ns"],
               std::string("All Kernels/") + name + ": GPU Time");
    ExpectSame(dashboard_["kernels"][id]["count"], std::string("All Kernels/") + name + ": Runs");
  }
}

TEST_P(DashboardTest, SharesAddUp) {
  double time = 0;
  for (const element part : dashboard_["resources"].get_array()) {
    const std::string name(part["name"].get_string().value());
    ExpectSame(part["percent"], "Resource Breakdown/" + name);
    ExpectSame(part["ns"], "Resource Breakdown, All GPUs/" + name);
    time += Number(part["ns"]);
  }
  EXPECT_EQ(time, static_cast<double>(range_.capacity));
  double idle = 0;
  for (const element cause : dashboard_["idle"]["causes"].get_array()) {
    idle += Number(cause["ns"]);
    ExpectSame(cause["percent"],
               "Resource Breakdown/" + std::string(cause["name"].get_string().value()));
  }
  EXPECT_EQ(idle, Number(dashboard_["idle"]["ns"]));
  ExpectSame(dashboard_["idle"]["percent"], "Time/GPU Idle");
}

TEST_P(DashboardTest, TopOpsEqualTheTypesInDetail) {
  const Table& ops = *tables_["detail"];
  struct Sum {
    int64_t ops = 0, calls = 0, gpu = 0;
    bool uses_tensor_cores = false;
    std::string largest;
    std::pair<int64_t, int64_t> time_of_largest{-1, -1};  // on the GPU, on the CPU
  };
  std::map<std::pair<std::string, std::string>, Sum> kinds;
  for (size_t row = 0; row < ops.rows(); ++row) {
    const auto text = [&](std::string_view column) {
      const Cell cell = ops.At(row, ops.ColumnOf(column));
      const auto* value = std::get_if<std::string_view>(&cell);
      return value == nullptr ? std::string() : std::string(*value);
    };
    const auto number = [&](std::string_view column) {
      return std::get<int64_t>(ops.At(row, ops.ColumnOf(column)));
    };
    // Work without an op is listed under its full name among the op types.
    const bool named = !text("Direction").empty();
    Sum& sum = kinds[{text(named ? "Op Type" : "Op Name"), text("Direction")}];
    const std::pair time{number("Total GPU Time (ns)"), number("Total CPU Time (ns)")};
    if (time > sum.time_of_largest) {
      sum.time_of_largest = time;
      sum.largest = text("Op ID");
    }
    ++sum.ops;
    sum.calls += number("No. Calls");
    sum.gpu += number("Total GPU Time (ns)");
    sum.uses_tensor_cores |= number("Using TC") != 0;
  }
  int64_t last = INT64_MAX;
  size_t rows = 0;
  for (const element op : dashboard_["top_ops"].get_array()) {
    const auto text = [&](std::string_view name) {
      return std::string(op[name].get_string().value());
    };
    ASSERT_TRUE(kinds.contains({text("type"), text("direction")})) << text("type");
    const Sum& sum = kinds[{text("type"), text("direction")}];
    EXPECT_EQ(op["ops"].get_int64().value(), sum.ops) << text("type");
    EXPECT_EQ(op["calls"].get_int64().value(), sum.calls) << text("type");
    EXPECT_EQ(op["gpu_ns"].get_int64().value(), sum.gpu) << text("type");
    EXPECT_EQ(op["uses_tc"].get_bool().value(), sum.uses_tensor_cores) << text("type");
    EXPECT_EQ(text("op_id"), sum.largest) << text("type");
    EXPECT_LE(sum.gpu, last);
    last = sum.gpu;
    ++rows;
  }
  EXPECT_GT(rows, 0u);
  const auto larger = std::count_if(kinds.begin(), kinds.end(),
                                    [&](const auto& kind) { return kind.second.gpu > last; });
  EXPECT_LT(larger, 10);
}

TEST_P(DashboardTest, GpusEqualThoseOfTheReport) {
  const Table& gpus = *tables_["gpus"];
  size_t row = 0;
  for (const element gpu : dashboard_["gpu_utilization"]["gpus"].get_array()) {
    EXPECT_EQ(Number(gpu["percent"]),
              std::get<double>(gpus.At(row++, gpus.ColumnOf("Utilization (%)"))));
  }
  EXPECT_EQ(row, gpus.rows());
}

TEST_P(DashboardTest, CountsFindingsAndGuidanceNamesExistingViews) {
  EXPECT_EQ(dashboard_["advice_total"].get_int64().value(),
            static_cast<int64_t>(LoadAdvice(profile_).findings.size()));
  const std::vector<std::string_view> views = {
      "dashboard",     "op-types",   "group-ops", "ops",      "kernels-by-iteration",
      "kernels-by-op", "iterations", "gpus",      "timeline", "advice",
      "roofline",      "trust",      "sql",       "reports"};
  size_t count = 0;
  for (const element item : dashboard_["guidance"].get_array()) {
    ++count;
    const std::string_view view = item["view"].get_string().value();
    EXPECT_NE(std::find(views.begin(), views.end(), view), views.end()) << view;
    EXPECT_TRUE(item["text"].get_string().value().ends_with("."));
    if (view == "timeline") {
      const auto at = [&](const char* key) {
        return std::stoll(std::string(item["query"][key].get_string().value()));
      };
      EXPECT_LT(at("start"), at("end"));
      EXPECT_LE(at("end"), profile_.trace.end);
    }
    if (view == "reports") {
      EXPECT_TRUE(tables_.contains(std::string(item["query"]["report"].get_string().value())));
    }
  }
  EXPECT_GE(count, 1u);
  EXPECT_LE(count, 6u);
}

TEST_P(DashboardTest, RooflineHasThePointsOfTheReport) {
  simdjson::dom::parser parser;
  const element roofline = parser.parse(RooflineJson({profile_, range_}));
  std::map<std::string_view, element> points;
  for (const element point : roofline["points"].get_array()) {
    points[point["op_id"].get_string().value()] = point;
  }
  const Table& table = *tables_["roofline"];
  size_t known = 0;
  for (size_t row = 0; row < table.rows(); ++row) {
    const Cell flops = table.At(row, table.ColumnOf("Family"));
    if (std::holds_alternative<std::monostate>(flops)) continue;
    const auto id = std::get<std::string_view>(table.At(row, table.ColumnOf("Op ID")));
    ASSERT_TRUE(points.contains(id)) << id;
    const Cell rate = table.At(row, table.ColumnOf("TFLOP/s"));
    if (const auto* real = std::get_if<double>(&rate)) {
      EXPECT_EQ(Number(points[id]["tflops"]), *real) << id;
    }
    ++known;
  }
  EXPECT_EQ(known, points.size());
}

INSTANTIATE_TEST_SUITE_P(Traces, DashboardTest, ::testing::ValuesIn(BundledTraces()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace warpsight::testing
