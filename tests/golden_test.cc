// A real trace and a report give the expected CSV. WARPSIGHT_UPDATE_GOLDEN=1 writes the results as
// the new expectation: look at the difference before committing it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "analysis/reporting/dashboard.h"
#include "analysis/reporting/one_screen.h"
#include "analysis/reporting/render.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

// Small enough to read, and together with every kind of event: python frames and memory, a graph,
// no steps, Triton, the data loader, work that names its op.
const std::vector<std::string>& GoldenTraces() {
  static const auto* names =
      new std::vector<std::string>{"bert_inference_nosteps",        "gpt2_bf16_compiled",
                                   "gpt2_bf16_stacks_memory",       "jax_mlp",
                                   "resnet18_cuda_graph_inference", "resnet50_fp32_workers0"};
  return *names;
}

// Reports with a row per kernel instance would make megabytes; one trace is enough for them.
bool IsGolden(std::string_view trace, std::string_view report) {
  return report != "iteration" || trace == "resnet18_cuda_graph_inference";
}

void Compare(const std::string& name, const std::string& actual) {
  const std::string path = SourcePath("tests/golden/" + name);
  if (std::getenv("WARPSIGHT_UPDATE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << actual;
    return;
  }
  const std::string expected = ReadFile(path);
  ASSERT_FALSE(expected.empty()) << path << " is missing: run with WARPSIGHT_UPDATE_GOLDEN=1";
  if (actual == expected) return;
  // The first line that differs says more than both texts.
  std::istringstream a(actual);
  std::istringstream e(expected);
  std::string actual_line;
  std::string expected_line;
  for (int line = 1;; ++line) {
    const bool more_a = static_cast<bool>(std::getline(a, actual_line));
    const bool more_e = static_cast<bool>(std::getline(e, expected_line));
    if (more_a && more_e && actual_line == expected_line) continue;
    FAIL() << name << " line " << line << "\n  expected: " << (more_e ? expected_line : "(end)")
           << "\n  actual:   " << (more_a ? actual_line : "(end)");
  }
}

// Reports name the files they were made from; relative paths are the same on every machine.
class GoldenTest : public ::testing::TestWithParam<std::string> {
 protected:
  static Profile Import() {
    std::filesystem::current_path(SourcePath(""));
    const std::string path = "tests/data/h200/" + GetParam();
    const std::string xplane = path + ".xplane.pb";
    return ImportForTest({std::filesystem::exists(xplane) ? xplane : path + ".pt.trace.json.gz"});
  }
};

TEST_P(GoldenTest, EveryReport) {
  const Profile profile = Import();
  const RangeSummary range = SummariseRange(profile);
  const ReportInput input{profile, range};
  for (const Report& report : AllReports()) {
    if (!IsGolden(GetParam(), report.id)) continue;
    StringOutput output;
    RenderReport(report, input, ReportFormat::kCsv, {}, output);
    Compare(GetParam() + "/" + ReportFileName(report, ReportFormat::kCsv), output.text());
  }
}

TEST_P(GoldenTest, OneScreen) {
  const Profile profile = Import();
  const RangeSummary range = SummariseRange(profile);
  Compare(GetParam() + "/one_screen.txt", OneScreen({profile, range}, {}));
}

TEST_P(GoldenTest, DashboardAndRoofline) {
  const Profile profile = Import();
  const RangeSummary range = SummariseRange(profile);
  const ReportInput input{profile, range};
  std::string dashboard = DashboardJson(input);
  const std::string version = "\"" WARPSIGHT_VERSION "\"";
  if (const size_t at = dashboard.find(version); at != std::string::npos) {
    dashboard.replace(at, version.size(), "\"…\"");
  }
  Compare(GetParam() + "/dashboard.json", dashboard);
  Compare(GetParam() + "/roofline.json", RooflineJson(input));
}

INSTANTIATE_TEST_SUITE_P(Traces, GoldenTest, ::testing::ValuesIn(GoldenTraces()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace warpsight::testing
