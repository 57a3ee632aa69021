// A real trace and a report give the expected CSV. WARPSIGHT_UPDATE_GOLDEN=1 writes the results as
// the new expectation: look at the difference before committing it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/reporting/render.h"
#include "analysis/screens/dashboard.h"
#include "analysis/screens/one_screen.h"
#include "import_once.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

struct GoldenTrace {
  std::string name;
  std::string path;         // in the repository
  std::string second = {};  // another file of the same run
};

void PrintTo(const GoldenTrace& trace, std::ostream* out) { *out << trace.name; }

// Real traces, small enough to read, and together with every kind of event: python frames and
// memory, a graph, no steps, Triton, the data loader, work that names its op. Then a small file of
// every other format; those were made by hand.
const std::vector<GoldenTrace>& GoldenTraces() {
  static const auto* traces = [] {
    auto* list = new std::vector<GoldenTrace>;
    for (const char* name :
         {"bert_inference_nosteps", "gpt2_bf16_compiled", "gpt2_bf16_stacks_memory",
          "resnet18_cuda_graph_inference", "resnet50_fp32_workers0"}) {
      list->push_back({name, fmt::format("tests/data/h200/{}.pt.trace.json.gz", name)});
    }
    list->push_back({"jax_mlp", "tests/data/h200/jax_mlp.xplane.pb"});
    list->push_back({"jax_transformer", "tests/data/jax/transformer.xplane.pb.gz"});
    for (const char* name :
         {"captured_cnn_naive", "captured_cnn_tensor", "captured_graph_inference"}) {
      list->push_back({name, fmt::format("tests/data/h200/{}.wscap", name)});
    }
    list->push_back({"capture_stretches", "tests/data/stretches/alternating.wscap"});
    list->push_back({"capture_training", "tests/data/capture/training.wscap"});
    list->push_back({"capture_counters", "tests/data/capture/training.wscap",
                     "tests/data/capture/training_counters.wscap"});
    for (const char* path :
         {"chrome/mxnet.json", "chrome/onnxruntime_cpu.json", "chrome/tensorflow1.json",
          "nsys/two_layers.sqlite", "nvprof/gpu_trace.csv", "nvprof/two_layers.nvprof",
          "tensorrt/profile.json", "tensorrt/times.json", "xplane/small.pb"}) {
      std::string name = path;
      for (char& c : name) c = c == '/' || c == '.' ? '_' : c;
      list->push_back({name, fmt::format("tests/fuzz/seeds/{}", path)});
    }
    return list;
  }();
  return *traces;
}

// Reports with a row per kernel instance would make megabytes; one trace is enough for them.
bool IsGolden(const GoldenTrace& trace, std::string_view report) {
  return report != "iteration" || trace.name == "resnet18_cuda_graph_inference" ||
         trace.path.starts_with("tests/fuzz");
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
class GoldenTest : public ::testing::TestWithParam<GoldenTrace> {
 protected:
  static const Profile& Import() {
    std::filesystem::current_path(SourcePath(""));
    std::vector<std::string> paths = {GetParam().path};
    if (!GetParam().second.empty()) paths.push_back(GetParam().second);
    return ImportOnce(paths);
  }
  static const std::string& Name() { return GetParam().name; }
};

TEST_P(GoldenTest, EveryReport) {
  const Profile& profile = Import();
  const RangeSummary range = SummarizeRange(profile);
  const ReportInput input{profile, range};
  for (const Report& report : AllReports()) {
    if (!IsGolden(GetParam(), report.id)) continue;
    StringOutput output;
    RenderReport(report, input, ReportFormat::kCsv, {}, output);
    Compare(Name() + "/" + ReportFileName(report, ReportFormat::kCsv), output.text());
  }
}

TEST_P(GoldenTest, OneScreen) {
  const Profile& profile = Import();
  const RangeSummary range = SummarizeRange(profile);
  Compare(Name() + "/one_screen.txt", OneScreen({profile, range}, {}));
}

TEST_P(GoldenTest, DashboardAndRoofline) {
  const Profile& profile = Import();
  const RangeSummary range = SummarizeRange(profile);
  const ReportInput input{profile, range};
  std::string dashboard = DashboardJson(input);
  const std::string version = "\"" WARPSIGHT_VERSION "\"";
  if (const size_t at = dashboard.find(version); at != std::string::npos) {
    dashboard.replace(at, version.size(), "\"…\"");
  }
  Compare(Name() + "/dashboard.json", dashboard);
  Compare(Name() + "/roofline.json", RooflineJson(input));
}

INSTANTIATE_TEST_SUITE_P(Traces, GoldenTest, ::testing::ValuesIn(GoldenTraces()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace warpsight::testing
