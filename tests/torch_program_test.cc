// The agent and its Python side in real PyTorch programs, which need no GPU, with the prebuilt hook
// and with the compiled one. The newest PyTorch is tried on a GPU by bench/capture; here it is
// whichever one Python finds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "test_traces.h"

namespace warpsight::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* kScript = WARPSIGHT_SOURCE_DIR "/tests/torch_program.py";

// A Python that has PyTorch; "" if there is none.
std::string PythonWithTorch() {
  for (const char* python : {"python3", "/usr/bin/python3"}) {
    const std::string command = std::string(python) + " '" + kScript + "' >/dev/null 2>&1";
    if (std::system(command.c_str()) == 0) return python;
  }
  return "";
}

class TorchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(WARPSIGHT_BUILD_DIR "/lib/libwarpsight_agent.so")) {
      GTEST_SKIP() << "the agent is not built with sanitizers";
    }
    static const std::string python = PythonWithTorch();
    if (python.empty()) GTEST_SKIP() << "no python3 with PyTorch";
    python_ = python;
  }
  void TearDown() override { unsetenv("WARPSIGHT_TORCH_HOOK"); }

  std::string Profile() const { return folder_.Path("run.warpsight"); }
  // Records the program with a hook ("prebuilt", "compiled").
  void RunWith(const std::string& hook, const std::string& what,
               const std::string& record = "all") const {
    setenv("WARPSIGHT_TORCH_HOOK", hook.c_str(), 1);
    const ProgramRun run = RunWarpsight(
        {"profile", "-q", "--record", record, "-o", Profile(), "--", python_, kScript, what});
    ASSERT_EQ(run.exit_code, 0) << run.errors;
    ASSERT_EQ(Metadata("torch_ops"), "value\n\"\"\"" + hook + "\"\"\"\n")
        << Metadata("prebuilt_hook");
    EXPECT_EQ(Query("SELECT * FROM import_problems"), "path,code,message,first_offset,count\n");
  }
  std::string Query(const std::string& sql) const {
    const ProgramRun run = RunWarpsight({"query", Profile(), sql, "--format", "csv"});
    return run.output + run.errors;
  }
  std::string Metadata(const std::string& key) const {
    return Query(
        "SELECT DISTINCT v.text AS value FROM metadata JOIN strings k ON k.id = key_id "
        "JOIN strings v ON v.id = value_id WHERE k.text = '" +
        key + "'");
  }
  const std::string& python() const { return python_; }

 private:
  std::string python_;
  TemporaryFolder folder_;
};

class TorchProgramTest : public TorchTest, public ::testing::WithParamInterface<const char*> {
 protected:
  void Run(const std::string& what) const { RunWith(GetParam(), what); }
};
INSTANTIATE_TEST_SUITE_P(Hooks, TorchProgramTest, ::testing::Values("prebuilt", "compiled"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(TorchProgramTest, OpsHaveShapesModulesAndIterations) {
  Run("train");
  EXPECT_EQ(Query("SELECT module_path, input_dims, input_types, count(*) n, "
                  "count(DISTINCT iteration) iterations "
                  "FROM ops WHERE name = 'aten::linear' GROUP BY ALL ORDER BY 1"),
            "module_path,input_dims,input_types,n,iterations\n"
            "Net/blocks.0/down,\"[[8, 32], [16, 32], [16]]\",\"[\"\"float\"\", \"\"float\"\", "
            "\"\"float\"\"]\",5,5\n"
            "Net/blocks.0/up,\"[[8, 16], [32, 16], [32]]\",\"[\"\"float\"\", \"\"float\"\", "
            "\"\"float\"\"]\",5,5\n"
            "Net/blocks.1/down,\"[[8, 32], [16, 32], [16]]\",\"[\"\"float\"\", \"\"float\"\", "
            "\"\"float\"\"]\",5,5\n"
            "Net/blocks.1/up,\"[[8, 16], [32, 16], [32]]\",\"[\"\"float\"\", \"\"float\"\", "
            "\"\"float\"\"]\",5,5\n"
            "Net/head,\"[[8, 16], [4, 16], [4]]\",\"[\"\"float\"\", \"\"float\"\", "
            "\"\"float\"\"]\",5,5\n");
  // Of parameters: what else is added in place differs by version.
  EXPECT_EQ(Query("SELECT direction, count(*) n FROM ops WHERE name = 'aten::add_' AND input_dims "
                  "NOT LIKE '[[8,%' AND input_dims NOT LIKE '[[1],%' GROUP BY ALL ORDER BY 1"),
            "direction,n\nbackward,40\noptimizer,50\n");
}

// A gradient's products are those of the layer that they belong to; the first has only one, since
// the gradient of its input is not needed.
TEST_P(TorchProgramTest, BackwardOpsAreFoundAgain) {
  Run("train");
  EXPECT_EQ(Query("SELECT module_path, count(*) n FROM ops WHERE name = 'aten::mm' AND "
                  "direction = 'backward' AND forward_id IS NOT NULL GROUP BY ALL ORDER BY 1"),
            "module_path,n\nNet/blocks.0/down,10\nNet/blocks.0/up,5\nNet/blocks.1/down,10\n"
            "Net/blocks.1/up,10\nNet/head,10\n");
}

TEST_P(TorchProgramTest, WhatViewsDoInsideIsNotRecorded) {
  Run("train");
  EXPECT_EQ(Query("SELECT count(*) > 0 seen FROM ops WHERE name = 'aten::t'"), "seen\ntrue\n");
  EXPECT_EQ(Query("SELECT count(*) n FROM ops WHERE name = 'aten::as_strided'"), "n\n0\n");
}

TEST_P(TorchProgramTest, ForkedLoaderWorkersAreNotRecorded) {
  Run("workers");
  EXPECT_EQ(Query("SELECT count(*) n FROM iterations"), "n\n5\n");
  EXPECT_EQ(Query("SELECT count(*) n FROM processes"), "n\n1\n");
}

// The parent's cache of names is not valid in the child, which writes its own file.
TEST_P(TorchProgramTest, AForkedChildInWhichCudaStartsIsRecorded) {
  Run("fork");
  EXPECT_EQ(Query("SELECT count(*) n FROM processes"), "n\n2\n");
  EXPECT_EQ(Query("SELECT name, count(*) n FROM ops WHERE name IN ('aten::exp', 'aten::cumsum') "
                  "GROUP BY ALL ORDER BY 1"),
            "name,n\naten::cumsum,2\naten::exp,1\n");
  // Each layer's forward pass runs once in the parent and once in the child.
  EXPECT_EQ(Query("SELECT module_path, count(*) n FROM ops WHERE name = 'aten::linear' "
                  "GROUP BY ALL ORDER BY 1"),
            "module_path,n\nNet/blocks.0/down,2\nNet/blocks.0/up,2\nNet/blocks.1/down,2\n"
            "Net/blocks.1/up,2\nNet/head,2\n");
  EXPECT_EQ(Query("SELECT count(*) n FROM ops WHERE name NOT LIKE 'aten::%' AND "
                  "name NOT LIKE '%Backward%' AND name NOT LIKE '%AccumulateGrad'"),
            "n\n0\n");
  EXPECT_EQ(Query("SELECT count(*) n FROM metadata JOIN strings k ON k.id = key_id "
                  "WHERE k.text = 'torch_ops'"),
            "n\n2\n");
}

TEST_P(TorchProgramTest, AnOpThatFailsDoesNotHideTheNext) {
  Run("fail");
  EXPECT_EQ(Query("SELECT name, count(*) n FROM ops WHERE name IN ('aten::mm', 'aten::cumsum') "
                  "GROUP BY ALL ORDER BY 1"),
            "name,n\naten::cumsum,1\naten::mm,1\n");
}

// 30 in peace, one that fails, two under PyTorch's profiler, which sees what is inside, and three.
TEST_P(TorchProgramTest, InsideOfOpsWithManyOthersNothingIsTold) {
  Run("many_inside");
  EXPECT_EQ(Query("SELECT name, count(*) n FROM ops WHERE name IN ('aten::batch_norm', "
                  "'aten::native_batch_norm', 'aten::cumsum') GROUP BY ALL ORDER BY 1"),
            "name,n\naten::batch_norm,36\naten::cumsum,1\n");
}

TEST_P(TorchProgramTest, ModulesCanBeTraced) { Run("trace"); }

// Everything but times, in order. Threads are numbered by PyTorch in the order in which they do
// something, so only whether they are the same counts.
TEST_F(TorchTest, BothHooksRecordTheSame) {
  const std::string everything =
      "SELECT n.text AS name, h.kind, h.direction, h.sequence, "
      "dense_rank() OVER (ORDER BY h.forward_thread) AS forward_thread, "
      "dense_rank() OVER (ORDER BY h.thread_id) AS thread, h.parent_id, h.op_id, h.forward_id, "
      "dims.text AS dims, types.text AS types, strides.text AS strides, inputs.text AS inputs "
      "FROM host_ranges h JOIN strings n ON n.id = h.name_id "
      "LEFT JOIN signatures g ON g.rowid = h.signature_id "
      "LEFT JOIN strings dims ON dims.id = g.input_dims_id "
      "LEFT JOIN strings types ON types.id = g.input_types_id "
      "LEFT JOIN strings strides ON strides.id = g.input_strides_id "
      "LEFT JOIN strings inputs ON inputs.id = g.concrete_inputs_id ORDER BY h.rowid";
  for (const char* what : {"kinds", "train", "many_inside"}) {
    RunWith("compiled", what);
    const std::string compiled = Query(everything);
    RunWith("prebuilt", what);
    const std::string prebuilt = Query(everything);
    EXPECT_GT(std::count(compiled.begin(), compiled.end(), '\n'), 30) << compiled;
    EXPECT_EQ(prebuilt, compiled) << what;
  }
}

TEST_F(TorchTest, TheHookIsNamedAfterTheRun) {
  const std::vector<std::string> command = {"profile", "-o",     Profile(), "--force",
                                            "--",      python(), kScript,   "fail"};
  EXPECT_THAT(RunWarpsight(command).errors,
              HasSubstr("PyTorch's ops were recorded by the prebuilt hook\n"));
  setenv("WARPSIGHT_TORCH_HOOK", "compiled", 1);
  EXPECT_THAT(RunWarpsight(command).errors,
              HasSubstr("PyTorch's ops were recorded by a hook compiled on this machine; the "
                        "prebuilt hook was not used: WARPSIGHT_TORCH_HOOK is 'compiled'\n"));
}

// The prebuilt hook does not record memory.
TEST_F(TorchTest, MemoryNeedsTheCompiledHook) {
  const ProgramRun run =
      RunWarpsight({"profile", "--memory", "-o", Profile(), "--", python(), kScript, "fail"});
  EXPECT_THAT(run.errors, HasSubstr("the prebuilt hook was not used: it does not record memory"));
}

}  // namespace
}  // namespace warpsight::testing
