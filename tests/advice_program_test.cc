// `warpsight advise` and `warpsight whatif` as a user runs them, on real traces and on traces that
// lack required data.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chrome_text.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// This trace waits for its data loader, so at least one rule has a finding.
const std::string& Trace() {
  static const auto* path = new std::string(BundledTracePath("resnet50_fp32_workers0"));
  return *path;
}

int64_t Lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

// The program's JSON, which must be valid.
class Json {
 public:
  explicit Json(const std::vector<std::string>& arguments) : run_(RunWarpsight(arguments)) {
    EXPECT_EQ(run_.exit_code, 0) << run_.errors;
    EXPECT_EQ(parser_.parse(run_.output).get(root_), simdjson::SUCCESS) << run_.output;
  }
  simdjson::dom::element operator[](const char* key) const {
    simdjson::dom::element value;
    EXPECT_EQ(root_[key].get(value), simdjson::SUCCESS) << key << " in " << run_.output;
    return value;
  }
  int64_t Integer(const char* key) const { return (*this)[key].get_int64().value_unsafe(); }
  double Real(const char* key) const { return (*this)[key].get_double().value_unsafe(); }
  std::vector<simdjson::dom::element> Array(const char* key) const { return Items((*this)[key]); }
  static std::vector<simdjson::dom::element> Items(simdjson::dom::element array) {
    simdjson::dom::array items;
    EXPECT_EQ(array.get(items), simdjson::SUCCESS);
    return {items.begin(), items.end()};
  }
  bool IsNull(const char* key) const { return (*this)[key].is_null(); }
  std::string Text(const char* key) const {
    return std::string((*this)[key].get_string().value_unsafe());
  }
  const std::string& output() const { return run_.output; }

 private:
  ProgramRun run_;
  simdjson::dom::parser parser_;
  simdjson::dom::element root_;
};

TEST(AdviseProgram, JsonHasTheDocumentedFields) {
  const Json json({"advise", Trace(), "--format", "json"});
  EXPECT_GT(json.Integer("step_ns"), 0);
  EXPECT_NEAR(static_cast<double>(json.Integer("replay_step_ns")),
              static_cast<double>(json.Integer("step_ns")),
              0.03 * static_cast<double>(json.Integer("step_ns")));
  EXPECT_GT(json.Integer("unprofiled_step_ns"), 0);
  ASSERT_GT(json.Array("findings").size(), 0u);
  double last = 1e9;
  bool input_bound = false;
  for (const simdjson::dom::element finding : json.Array("findings")) {
    for (const char* key :
         {"rule", "problem", "recommendation", "confidence", "assumes", "documentation"}) {
      EXPECT_TRUE(finding[key].is_string()) << key;
    }
    for (const char* key : {"predicted_step_ns", "saving_ns"}) {
      EXPECT_TRUE(finding[key].is_int64()) << key;
    }
    const double speedup = finding["predicted_speedup"].get_double().value_unsafe();
    EXPECT_LE(speedup, last) << "best first";
    EXPECT_LE(finding["predicted_low"].get_double().value_unsafe(), speedup);
    EXPECT_GE(finding["predicted_high"].get_double().value_unsafe(), speedup);
    last = speedup;
    const std::string_view rule = finding["rule"].get_string().value_unsafe();
    input_bound |= rule == "input-bound";
    for (const simdjson::dom::element evidence : Json::Items(finding["evidence"].value_unsafe())) {
      for (const char* key : {"text", "time_ns_per_step", "count_per_step", "name", "start_ns",
                              "end_ns", "host_id", "gpu_id"}) {
        EXPECT_EQ(evidence[key].error(), simdjson::SUCCESS) << key;
      }
    }
  }
  EXPECT_TRUE(input_bound);
  for (const simdjson::dom::element skipped : json.Array("skipped")) {
    EXPECT_TRUE(skipped["rule"].is_string());
    EXPECT_TRUE(skipped["because"].is_string());
  }
}

TEST(AdviseProgram, ASavedProfileGivesTheSameAdvice) {
  const TemporaryFolder folder;
  const std::string profile = folder.Path("run.warpsight");
  ASSERT_EQ(RunWarpsight({"import", Trace(), "-o", profile}).exit_code, 0);
  for (const char* format : {"text", "json", "md"}) {
    const ProgramRun saved = RunWarpsight({"advise", profile, "--all", "--format", format});
    EXPECT_EQ(saved.exit_code, 0) << saved.errors;
    EXPECT_EQ(saved.output, RunWarpsight({"advise", Trace(), "--all", "--format", format}).output);
  }
  const ProgramRun query = RunWarpsight(
      {"query", profile, "SELECT rule FROM recommendations WHERE rank = 1", "--format", "csv"});
  EXPECT_EQ(query.exit_code, 0) << query.errors;
  const Json json({"advise", profile, "--format", "json"});
  const std::string_view first = json.Array("findings")[0]["rule"].get_string().value_unsafe();
  EXPECT_EQ(query.output, "rule\n" + std::string(first) + "\n");
}

TEST(AdviseProgram, OtherIterationsGiveOtherAdvice) {
  const TemporaryFolder folder;
  const std::string profile = folder.Path("run.warpsight");
  ASSERT_EQ(RunWarpsight({"import", Trace(), "-o", profile}).exit_code, 0);
  const std::vector<std::string> flags = {"--iter-start", "1",   "--iter-stop", "1",
                                          "--format",     "json"};
  std::vector<std::string> saved = {"advise", profile};
  std::vector<std::string> direct = {"advise", Trace()};
  saved.insert(saved.end(), flags.begin(), flags.end());
  direct.insert(direct.end(), flags.begin(), flags.end());
  const std::string all = RunWarpsight({"advise", profile, "--format", "json"}).output;
  EXPECT_NE(RunWarpsight(saved).output, all);
  EXPECT_EQ(RunWarpsight(saved).output, RunWarpsight(direct).output);
  EXPECT_EQ(RunWarpsight({"advise", profile, "--format", "json"}).output, all)
      << "the file is not changed";
}

TEST(AdviseProgram, OneRule) {
  const ProgramRun one = RunWarpsight({"advise", Trace(), "--rule", "input-bound"});
  EXPECT_EQ(one.exit_code, 0);
  EXPECT_THAT(one.output, HasSubstr("1  input-bound"));
  EXPECT_THAT(one.output, Not(HasSubstr("2  ")));
  const ProgramRun unknown = RunWarpsight({"advise", Trace(), "--rule", "nonsense"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_EQ(Lines(unknown.errors), 1);
  EXPECT_THAT(unknown.errors, HasSubstr("there is no rule 'nonsense'; there are: "));
  EXPECT_THAT(unknown.errors, HasSubstr("input-bound"));
  EXPECT_THAT(RunWarpsight({"advise", "--list"}).output, HasSubstr("input-bound "));
}

TEST(AdviseProgram, Brief) {
  const ProgramRun run = RunWarpsight({"advise", Trace(), "--brief"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.output, HasSubstr("Advice        1  input-bound"));
  EXPECT_LT(Lines(run.output), Lines(RunWarpsight({"advise", Trace()}).output));
}

TEST(AdviseProgram, UsageErrors) {
  EXPECT_EQ(RunWarpsight({"advise"}).exit_code, 2);
  EXPECT_EQ(RunWarpsight({"advise", Trace(), "--format", "csv"}).exit_code, 2);
  const ProgramRun missing = RunWarpsight({"advise", "/nonexistent/trace.json"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.errors, HasSubstr("/nonexistent/trace.json"));
}

TEST(AdviseProgram, TheReportNamesTheBestChange) {
  const ProgramRun run = RunWarpsight({"report", Trace()});
  EXPECT_THAT(run.output, HasSubstr("Change first  1  input-bound"));
  EXPECT_THAT(run.output, HasSubstr("warpsight advise PROFILE"));
  const ProgramRun csv =
      RunWarpsight({"report", Trace(), "--report", "expert_systems", "--format", "csv"});
  EXPECT_TRUE(csv.output.starts_with("Problem,Recommendation,Rule,Predicted Speedup,"))
      << csv.output;
  EXPECT_THAT(csv.output, HasSubstr(",input-bound,"));
}

TEST(WhatIfProgram, Json) {
  const Json json(
      {"whatif", Trace(), "--free-dataloader", "--scale", "kernel~bn_=0.5", "--format", "json"});
  EXPECT_LT(json.Integer("predicted_step_ns"), json.Integer("current_step_ns"));
  EXPECT_EQ(json.Integer("saving_ns"),
            json.Integer("current_step_ns") - json.Integer("predicted_step_ns"));
  EXPECT_GT(json.Real("predicted_speedup"), 2);
  ASSERT_EQ(json.Array("edits").size(), 2u);
  EXPECT_EQ(json.Array("edits")[0]["edit"].get_string().value_unsafe(), "kernel~bn_=0.5");
  EXPECT_GT(json.Array("edits")[0]["count_per_step"].get_int64().value_unsafe(), 50);
  EXPECT_TRUE(json["critical_path_ns"]["current"].is_object());
  EXPECT_TRUE(json["predicted_bottleneck"].is_string());
}

TEST(WhatIfProgram, TextNamesStepSpeedupAndBottleneck) {
  const ProgramRun run = RunWarpsight({"whatif", "--free-dataloader", Trace()});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  for (const char* part : {"measured", "replayed", "without the profiler", "x faster", "saves",
                           "Critical path", "Bottleneck"}) {
    EXPECT_THAT(run.output, HasSubstr(part));
  }
  EXPECT_THAT(RunWarpsight({"whatif", Trace()}).output, HasSubstr("no edits"));
  EXPECT_THAT(RunWarpsight({"whatif", Trace(), "--keep-profiler"}).output,
              HasSubstr("with the profiler"));
}

TEST(WhatIfProgram, AnEditMayComeBeforeTheTrace) {
  const ProgramRun before = RunWarpsight({"whatif", "--scale", "kernel~.=0.5", Trace()});
  EXPECT_EQ(before.exit_code, 0) << before.errors;
  EXPECT_EQ(before.output, RunWarpsight({"whatif", Trace(), "--scale", "kernel~.=0.5"}).output);
}

TEST(WhatIfProgram, AFactorOfOneChangesNothing) {
  const Json json({"whatif", Trace(), "--scale", "kernel~.=1", "--scale", "cpu~.=1", "--scale",
                   "api~.=1", "--scale", "copy~.=1", "--scale", "op~.=1", "--format", "json"});
  EXPECT_EQ(json.Integer("predicted_step_ns"), json.Integer("current_step_ns"));
}

TEST(WhatIfProgram, BadEdits) {
  const auto expect = [](const std::vector<std::string>& edit, int exit_code, const char* words) {
    std::vector<std::string> arguments = {"whatif", Trace()};
    arguments.insert(arguments.end(), edit.begin(), edit.end());
    const ProgramRun run = RunWarpsight(arguments);
    EXPECT_EQ(run.exit_code, exit_code) << edit.back();
    EXPECT_EQ(run.output, "");
    EXPECT_EQ(Lines(run.errors), 1) << run.errors;
    EXPECT_THAT(run.errors, HasSubstr(words));
  };
  expect({"--scale", "kernel~bn_"}, 2, "has no factor");
  expect({"--scale", "kernel~bn_=-2"}, 2, "cannot be negative");
  expect({"--scale", "kernel~(=2"}, 2, "not a valid regular expression");
  expect({"--scale", "thing~x=2"}, 2, "must begin with kernel~");
  expect({"--remove", "op~"}, 2, "has an empty pattern");
  expect({"--format", "md"}, 2, "not one of text, json");
  expect({"--remove", "kernel~no such kernel"}, 1, "the longest are: ");
  expect({"--remove", "op~no such op"}, 1, "the longest are: ");
  expect({"--remove", "api~no such call"}, 1, "the longest are: ");
}

constexpr const char* kBf16Gemm = "nvjet_sm90_tst_192x128_64x5_1x2_h_bz_coopA_NNT";

// The optional parts of a hand-made trace.
struct Parts {
  bool steps = true;
  bool ops = true;
  bool calls = true;
  bool gpu = true;
};

// Four steps of a millisecond, without shapes.
std::string HandMade(const Parts& with) {
  ChromeText text;
  for (int step = 0; step < 4; ++step) {
    const double t = 1000.0 * step;
    if (with.steps) {
      text.Slice("user_annotation", "ProfilerStep#" + std::to_string(step), t, 990);
    }
    for (int k = 0; k < 5; ++k) {
      const double at = t + 100.0 * k;
      const int id = 10 * step + k + 1;
      if (with.ops) text.Slice("cpu_op", "aten::mm", at + 1, 60);
      if (with.calls) text.Call("cudaLaunchKernel", at + 20, 10, id);
      if (with.gpu) text.Kernel(kBf16Gemm, at + 40, 80, id);
    }
    if (with.calls) text.Call("cudaDeviceSynchronize", t + 510, 50, 0);
  }
  return text.Text();
}

class IncompleteTrace : public ::testing::Test {
 protected:
  std::string Write(const std::string& content) {
    std::string path = folder_.Path("trace.json");
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }

  // Every format of every command works on the trace; returns the advice as text.
  std::string ExpectAdvice(const std::string& path) {
    for (const char* format : {"json", "md"}) {
      EXPECT_EQ(RunWarpsight({"advise", path, "--all", "--format", format}).exit_code, 0);
    }
    EXPECT_EQ(RunWarpsight({"report", path}).exit_code, 0);
    EXPECT_EQ(RunWarpsight({"report", path, "--report", "expert_systems"}).exit_code, 0);
    const ProgramRun run = RunWarpsight({"advise", path, "--all"});
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    const Json json({"advise", path, "--format", "json"});
    for (const simdjson::dom::element finding : json.Array("findings")) {
      EXPECT_GE(finding["saving_ns"].get_int64().value_unsafe(), 0);
    }
    return run.output;
  }

  TemporaryFolder folder_;
};

TEST_F(IncompleteTrace, Complete) {
  const std::string path = Write(HandMade({}));
  EXPECT_THAT(ExpectAdvice(path), HasSubstr("without the profiler"));
  const Json json({"whatif", path, "--scale", "kernel~nvjet=2", "--format", "json"});
  EXPECT_GT(json.Integer("predicted_step_ns"), json.Integer("current_step_ns"));
}

TEST_F(IncompleteTrace, WithoutShapes) {
  // Rules that need shapes say so.
  EXPECT_THAT(ExpectAdvice(Write(HandMade({}))), HasSubstr("shapes"));
}

TEST_F(IncompleteTrace, WithoutOps) {
  Parts parts;
  parts.ops = false;
  const std::string path = Write(HandMade(parts));
  EXPECT_THAT(ExpectAdvice(path), HasSubstr("Could not run"));
  const ProgramRun run = RunWarpsight({"whatif", path, "--remove", "op~aten::mm"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.errors, HasSubstr("matches none of the ops"));
}

TEST_F(IncompleteTrace, WithoutIterations) {
  Parts parts;
  parts.steps = false;
  EXPECT_THAT(ExpectAdvice(Write(HandMade(parts))), HasSubstr("iteration"));
}

TEST_F(IncompleteTrace, GpuOnly) {
  Parts parts;
  parts.steps = parts.ops = parts.calls = false;
  const std::string path = Write(HandMade(parts));
  ExpectAdvice(path);
  EXPECT_EQ(RunWarpsight({"whatif", path, "--scale", "kernel~nvjet=0.5"}).exit_code, 0);
  for (const auto& [flag, words] : {std::pair{"--cuda-graph", "no CUDA calls"},
                                    {"--no-syncs", "the host never waits"},
                                    {"--free-launches", "no call that launches work"},
                                    {"--async-copies", "contains no copies"},
                                    {"--free-dataloader", "no DataLoader"}}) {
    const ProgramRun run = RunWarpsight({"whatif", path, flag});
    EXPECT_EQ(run.exit_code, 1) << flag;
    EXPECT_THAT(run.errors, HasSubstr(words));
  }
}

TEST_F(IncompleteTrace, WithoutGpuWork) {
  Parts parts;
  parts.gpu = false;
  const std::string path = Write(HandMade(parts));
  const std::string text = ExpectAdvice(path);
  EXPECT_THAT(text, Not(HasSubstr("x faster")));
  EXPECT_THAT(text, Not(HasSubstr("replayed")));
  const Json json({"advise", path, "--format", "json"});
  EXPECT_TRUE(json.IsNull("replay_step_ns"));
  EXPECT_TRUE(json.IsNull("unprofiled_step_ns"));
  EXPECT_TRUE(json.IsNull("combined_step_ns"));
  const ProgramRun run = RunWarpsight({"whatif", path});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.errors, HasSubstr("no GPU work to replay"));
  EXPECT_THAT(run.errors, HasSubstr(path));
}

// The loader's time was once divided by the number of iterations of a missing graph.
TEST_F(IncompleteTrace, ADataLoaderWithoutGpuWork) {
  ChromeText text;
  for (int step = 0; step < 4; ++step) {
    text.Slice("user_annotation", "ProfilerStep#" + std::to_string(step), 1000.0 * step, 990);
    text.Slice("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
               1000.0 * step + 10, 900);
  }
  EXPECT_THAT(ExpectAdvice(Write(text.Text())), Not(HasSubstr("x faster")));
}

TEST_F(IncompleteTrace, NoEvents) {
  EXPECT_THAT(ExpectAdvice(Write("{\"traceEvents\": []}")), Not(HasSubstr("x faster")));
}

TEST_F(IncompleteTrace, NotATrace) {
  const std::string path = Write("hello");
  for (const char* command : {"advise", "whatif"}) {
    const ProgramRun run = RunWarpsight({command, path});
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_EQ(Lines(run.errors), 1) << run.errors;
    EXPECT_THAT(run.errors, HasSubstr(path));
    EXPECT_EQ(run.output, "");
  }
}

}  // namespace
}  // namespace warpsight::testing
