// The agent and its Python side in real PyTorch programs without a GPU. bench/capture runs the
// newest PyTorch on a GPU; here the PyTorch that Python finds is used.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "test_traces.h"

namespace warpsight::testing {
namespace {

constexpr const char* kScript = WARPSIGHT_SOURCE_DIR "/tests/torch_program.py";

// A Python that has PyTorch; "" if there is none.
std::string PythonWithTorch() {
  for (const char* python : {"python3", "/usr/bin/python3"}) {
    const std::string command = std::string(python) + " '" + kScript + "' >/dev/null 2>&1";
    if (std::system(command.c_str()) == 0) return python;
  }
  return "";
}

class TorchProgramTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(WARPSIGHT_BUILD_DIR "/lib/libwarpsight_agent.so")) {
      GTEST_SKIP() << "the agent is not built with sanitizers";
    }
    static const std::string python = PythonWithTorch();
    if (python.empty()) GTEST_SKIP() << "no python3 with PyTorch";
    python_ = python;
  }

  std::string Profile() const { return folder_.Path("run.warpsight"); }
  void Run(const std::string& what) const {
    const ProgramRun run =
        RunWarpsight({"profile", "-q", "-o", Profile(), "--", python_, kScript, what});
    ASSERT_EQ(run.exit_code, 0) << run.errors;
    ASSERT_EQ(Query("SELECT DISTINCT v.text AS ops FROM metadata JOIN strings k ON k.id = key_id "
                    "JOIN strings v ON v.id = value_id WHERE k.text = 'torch_ops'"),
              "ops\n\"\"\"compiled\"\"\"\n");
    EXPECT_EQ(Query("SELECT * FROM import_problems"), "path,code,message,first_offset,count\n");
  }
  std::string Query(const std::string& sql) const {
    const ProgramRun run = RunWarpsight({"query", Profile(), sql, "--format", "csv"});
    return run.output + run.errors;
  }

 private:
  std::string python_;
  TemporaryFolder folder_;
};

TEST_F(TorchProgramTest, OpsHaveShapesModulesAndIterations) {
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
  EXPECT_EQ(Query("SELECT direction, count(*) n FROM ops WHERE name = 'aten::add_' GROUP BY ALL "
                  "ORDER BY 1"),
            "direction,n\nbackward,40\noptimizer,50\n");
}

// The products of a gradient belong to the layer's module; the first layer has only one, since the
// gradient of its input is not needed.
TEST_F(TorchProgramTest, BackwardOpsHaveTheModuleOfTheLayer) {
  Run("train");
  EXPECT_EQ(Query("SELECT module_path, count(*) n FROM ops WHERE name = 'aten::mm' AND "
                  "direction = 'backward' AND forward_id IS NOT NULL GROUP BY ALL ORDER BY 1"),
            "module_path,n\nNet/blocks.0/down,10\nNet/blocks.0/up,5\nNet/blocks.1/down,10\n"
            "Net/blocks.1/up,10\nNet/head,10\n");
}

TEST_F(TorchProgramTest, OpsInsideViewsAreNotRecorded) {
  Run("train");
  EXPECT_EQ(Query("SELECT count(*) > 0 seen FROM ops WHERE name = 'aten::t'"), "seen\ntrue\n");
  EXPECT_EQ(Query("SELECT count(*) n FROM ops WHERE name = 'aten::as_strided'"), "n\n0\n");
}

TEST_F(TorchProgramTest, ForkedLoaderWorkersAreNotRecorded) {
  Run("workers");
  EXPECT_EQ(Query("SELECT count(*) n FROM iterations"), "n\n5\n");
  EXPECT_EQ(Query("SELECT count(*) n FROM processes"), "n\n1\n");
}

// The parent's cache of names is not valid in the child, which writes its own file.
TEST_F(TorchProgramTest, AForkedChildInWhichCudaStartsIsRecorded) {
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

TEST_F(TorchProgramTest, AnOpThatFailsDoesNotHideTheNext) {
  Run("fail");
  EXPECT_EQ(Query("SELECT name, count(*) n FROM ops WHERE name IN ('aten::mm', 'aten::cumsum') "
                  "GROUP BY ALL ORDER BY 1"),
            "name,n\naten::cumsum,1\naten::mm,1\n");
}

// 30 normal calls, one that fails, two under PyTorch's profiler, which sees the inner ops, and
// three more.
TEST_F(TorchProgramTest, InnerOpsOfOpsWithManyAreNotRecorded) {
  Run("many_inside");
  EXPECT_EQ(Query("SELECT name, count(*) n FROM ops WHERE name IN ('aten::batch_norm', "
                  "'aten::native_batch_norm', 'aten::cumsum') GROUP BY ALL ORDER BY 1"),
            "name,n\naten::batch_norm,36\naten::cumsum,1\n");
}

TEST_F(TorchProgramTest, ModulesCanBeTraced) { Run("trace"); }

}  // namespace
}  // namespace warpsight::testing
