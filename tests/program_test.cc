// The program as a user runs it: exit codes, messages, files.
#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "test_traces.h"

namespace warpsight::testing {
namespace {

namespace fs = std::filesystem;

const std::string& Trace() {
  static const auto* path = new std::string(BundledTracePath("resnet18_cuda_graph_inference"));
  return *path;
}

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

size_t Lines(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(Program, VersionAndHelp) {
  EXPECT_TRUE(RunWarpsight({"--version"}).output.starts_with("warpsight " WARPSIGHT_VERSION "\n"));
  for (const char* command :
       {"profile", "import", "report", "advise", "whatif", "info", "kernel", "query"}) {
    const ProgramRun run = RunWarpsight({command, "--help"});
    EXPECT_EQ(run.exit_code, 0) << command;
    EXPECT_TRUE(Contains(run.output, "Options:")) << command;
  }
}

TEST(Program, JsonIsValid) {
  for (std::vector<std::string> arguments : {std::vector<std::string>{"info", Trace()},
                                             {"advise", Trace()},
                                             {"whatif", Trace(), "--no-syncs"},
                                             {"kernel", "ampere_sgemm_128x64_nn"},
                                             {"report", Trace(), "--report", "kernel"},
                                             {"report", Trace(), "--report", "kernel,trust"}}) {
    const std::string command = arguments.front();
    arguments.insert(arguments.end(), {"--format", "json"});
    const ProgramRun run = RunWarpsight(arguments);
    simdjson::dom::parser parser;
    EXPECT_EQ(parser.parse(run.output).error(), simdjson::SUCCESS) << command << run.output;
  }
}

TEST(Program, UsageErrorsHaveExitCodeTwo) {
  EXPECT_EQ(RunWarpsight({"frobnicate"}).exit_code, 2);
  EXPECT_EQ(RunWarpsight({"report", Trace(), "--report", "nonsense"}).exit_code, 2);
  EXPECT_EQ(RunWarpsight({"report", Trace(), "--format", "pdf"}).exit_code, 2);
  for (const char* batch : {"0", "-3", "4294967297", "1e30"}) {
    EXPECT_EQ(RunWarpsight({"info", Trace(), "--batch-size", batch}).exit_code, 2) << batch;
  }
}

TEST(Program, FailuresAreOneLineThatNamesTheFile) {
  for (const std::string& path : {std::string("/nonexistent/trace.json"), SourcePath("LICENSE")}) {
    const ProgramRun run = RunWarpsight({"info", path});
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_EQ(run.output, "");
    EXPECT_EQ(Lines(run.errors), 1U) << run.errors;
    EXPECT_TRUE(Contains(run.errors, path)) << run.errors;
  }
}

TEST(Program, ReportOfAnImportedProfileEqualsThatOfTheTrace) {
  const TemporaryFolder folder;
  const std::string profile = folder.Path("run.warpsight");
  const ProgramRun import = RunWarpsight({"import", Trace(), "-o", profile});
  ASSERT_EQ(import.exit_code, 0) << import.errors;
  const ProgramRun saved = RunWarpsight({"report", profile, "--report", "all", "--format", "csv"});
  const ProgramRun direct = RunWarpsight({"report", Trace(), "--report", "all", "--format", "csv"});
  EXPECT_EQ(saved.exit_code, 0) << saved.errors;
  EXPECT_EQ(saved.output, direct.output);
  EXPECT_EQ(RunWarpsight({"report", profile}).output, RunWarpsight({"report", Trace()}).output);
}

// Files that are not read are not counted as records.
TEST(Program, ImportCountsFilesAndRecordsSeparately) {
  const TemporaryFolder folder;
  const std::string traces = folder.Path("traces");
  const std::string profile = folder.Path("run.warpsight");
  const std::string see = ": warpsight report " + profile + " --report trust\n";
  fs::create_directory(traces);
  fs::copy_file(Trace(), traces + "/a.json.gz");
  const auto import = [&] {
    const ProgramRun run = RunWarpsight({"import", traces, "-o", profile});
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    return run.output;
  };
  EXPECT_FALSE(Contains(import(), see));
  std::ofstream(traces + "/notes.txt") << "some notes\n";
  EXPECT_TRUE(Contains(import(), "\n1 file is not a trace and was skipped" + see)) << import();
  std::ofstream(traces + "/settings.json") << R"({"batch": 8})";
  EXPECT_TRUE(Contains(import(), "\n2 files are not traces and were skipped" + see)) << import();
  std::ofstream(traces + "/b.json")
      << R"({"traceEvents": [{"ph": "X", "name": "op", "pid": 1, "tid": 1, "ts": 1, "dur": -1}]})";
  std::ofstream(traces + "/c.json") << R"({"traceEvents": 7})";
  const std::string output = import();
  EXPECT_TRUE(Contains(output, "\ncannot read " + traces + "/c.json: ")) << output;
  EXPECT_TRUE(
      Contains(output, "\n2 files are not traces and were skipped; 1 record had problems" + see))
      << output;

  const ProgramRun trust =
      RunWarpsight({"report", profile, "--report", "trust", "--format", "csv"});
  EXPECT_TRUE(Contains(trust.output, "\nimport: file_passed_over,1,,,\"" + traces + "/notes.txt: "))
      << trust.output;
}

TEST(Program, ReportsGoToAFolder) {
  const TemporaryFolder folder;
  const ProgramRun run =
      RunWarpsight({"report", Trace(), "--format", "json", "-o", folder.Path("reports")});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_TRUE(std::filesystem::exists(folder.Path("reports/cuda_gpu_kern_sum.json")));
  EXPECT_TRUE(std::filesystem::exists(folder.Path("reports/trust.json")));
}

TEST(Program, ListsReports) {
  const ProgramRun run = RunWarpsight({"report", "--list"});
  for (const char* id : {"summary",
                         "detail",
                         "iteration",
                         "kernel",
                         "tensor_core",
                         "op_type",
                         "group_op",
                         "iteration_kernels",
                         "op_iteration",
                         "gpus",
                         "cuda_gpu_kern_sum",
                         "cuda_api_sum",
                         "cuda_gpu_mem_time_sum",
                         "cuda_gpu_mem_size_sum",
                         "nvtx_sum",
                         "nvtx_kern_sum",
                         "cuda_kern_exec_sum",
                         "nvtx_gpu_proj_sum",
                         "nvprof",
                         "steps",
                         "gaps",
                         "trust",
                         "expert_systems"}) {
    EXPECT_TRUE(Contains("\n" + run.output, std::string("\n") + id + " ")) << id;
  }
}

TEST(Program, NsightHeaders) {
  const auto header = [](const char* report) {
    const std::string text =
        RunWarpsight({"report", Trace(), "--report", report, "--format", "csv"}).output;
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(
      header("cuda_gpu_kern_sum"),
      "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name");
  EXPECT_EQ(
      header("cuda_api_sum"),
      "Time (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name");
}

TEST(Program, InfoJson) {
  const ProgramRun run = RunWarpsight({"info", Trace(), "--format", "json"});
  ASSERT_EQ(run.exit_code, 0);
  EXPECT_TRUE(Contains(run.output, "\"events\": 2117,"));
  EXPECT_TRUE(Contains(run.output, "\"kernels\": 990,"));
  EXPECT_TRUE(Contains(run.output, "\"kernel_sum_ns\": 5134593,"));
  EXPECT_TRUE(Contains(run.output, "\"copies\": 12,"));
  EXPECT_TRUE(Contains(run.output, "\"iterations\": 6,"));
}

TEST(Program, IterationOptions) {
  const ProgramRun some =
      RunWarpsight({"info", Trace(), "--iter-start", "2", "--iter-stop", "3", "--format", "json"});
  EXPECT_TRUE(Contains(some.output, "\"first_iteration\": 2,"));
  EXPECT_TRUE(Contains(some.output, "\"last_iteration\": 3,"));
  const ProgramRun beyond = RunWarpsight({"info", Trace(), "--iter-stop", "99"});
  EXPECT_EQ(beyond.exit_code, 1);
  EXPECT_TRUE(Contains(beyond.errors, "the trace has 6")) << beyond.errors;
  const ProgramRun unknown = RunWarpsight({"info", Trace(), "--key-op", "no such op"});
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_TRUE(Contains(unknown.errors, "no such op")) << unknown.errors;
  const ProgramRun key = RunWarpsight(
      {"info", BundledTracePath("gpt2_bf16"), "--key-op", "Optimizer.step#AdamW.step"});
  EXPECT_EQ(key.exit_code, 0) << key.errors;
  EXPECT_TRUE(Contains(key.output, "4 iterations, each ending with")) << key.output;
}

TEST(Program, GivenPeaks) {
  const ProgramRun run = RunWarpsight(
      {"report", Trace(), "--report", "sol", "--peaks", "bf16=500,fp32=50,bandwidth=2000"});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_NE(run.output.find("bf16 500"), std::string::npos) << run.output;
  EXPECT_NE(run.output.find("2000 GB/s"), std::string::npos);
  const ProgramRun bad = RunWarpsight({"report", Trace(), "--report", "sol", "--peaks", "bf16"});
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_NE(bad.errors.find("--peaks: 'bf16' is not of the form KEY=NUMBER"), std::string::npos)
      << bad.errors;
}

TEST(Program, KernelNames) {
  const ProgramRun run = RunWarpsight(
      {"kernel", "-", "--format", "csv"},
      "nvjet_sm90_tst_192x128_64x5_1x2_h_bz_coopA_NNT\nampere_sgemm_128x64_nn\nmy_kernel\n");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.output,
            "uses_tensor_cores,precision,family,library,kernel_name\n"
            "1,bf16,gemm,cuBLAS,nvjet_sm90_tst_192x128_64x5_1x2_h_bz_coopA_NNT\n"
            "0,fp32,gemm,cuBLAS,ampere_sgemm_128x64_nn\n"
            ",unknown,unknown,unknown,my_kernel\n");
}

TEST(Program, Query) {
  const TemporaryFolder folder;
  const std::string profile = folder.Path("run.warpsight");
  ASSERT_EQ(RunWarpsight({"import", Trace(), "-o", profile}).exit_code, 0);
  const std::string sql = "SELECT count(*) AS n, sum(duration_ns) AS total FROM kernels";
  EXPECT_EQ(RunWarpsight({"query", profile, sql, "--format", "csv"}).output,
            "n,total\n990,5134593\n");
  EXPECT_EQ(RunWarpsight({"query", profile, sql, "--format", "json"}).output,
            "[\n {\"n\": 990, \"total\": 5134593}\n]\n");
  const ProgramRun bad = RunWarpsight({"query", profile, "SELECT nonsense FROM kernels"});
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_EQ(Lines(bad.errors), 1U) << bad.errors;
}

TEST(Program, ReportsUnwritableOutput) {
  const TemporaryFolder folder;
  const std::string output = folder.Path("no/such/run.warpsight");
  const ProgramRun run = RunWarpsight({"import", Trace(), "-o", output});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(Lines(run.errors), 1U) << run.errors;
  EXPECT_TRUE(Contains(run.errors, output)) << run.errors;
}

}  // namespace
}  // namespace warpsight::testing
