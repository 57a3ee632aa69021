// `warpsight export --to` as a user runs it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
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

TEST(ExportProgram, HelpNamesEveryFormat) {
  const std::string help = RunWarpsight({"export", "--help"}).output;
  for (const char* format : {"html", "chrome", "perfetto", "csv", "json", "parquet", "nsys-sqlite",
                             "tensorboard", "Examples:"}) {
    EXPECT_TRUE(Contains(help, format)) << format;
  }
}

TEST(ExportProgram, UnknownFormatIsAUsageError) {
  const ProgramRun run = RunWarpsight({"export", Trace(), "--to", "excel"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_TRUE(Contains(run.errors, "'excel' is not one of html, chrome")) << run.errors;
}

TEST(ExportProgram, SavedProfilesAndTracesGiveEqualExports) {
  const TemporaryFolder folder;
  const std::string profile = folder.Path("run.warpsight");
  ASSERT_EQ(RunWarpsight({"import", Trace(), "-o", profile}).exit_code, 0);
  for (const char* format : {"chrome", "perfetto"}) {
    const ProgramRun saved = RunWarpsight({"export", profile, "--to", format, "-o", "-"});
    const ProgramRun direct = RunWarpsight({"export", Trace(), "--to", format, "-o", "-"});
    EXPECT_EQ(saved.exit_code, 0) << saved.errors;
    EXPECT_GT(saved.output.size(), 100'000U);
    EXPECT_TRUE(saved.output == direct.output) << format;
  }
}

TEST(ExportProgram, PagesCanGoToStandardOutput) {
  const ProgramRun run = RunWarpsight({"export", Trace(), "-o", "-"});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_TRUE(run.output.starts_with("<!")) << run.output.substr(0, 80);
  EXPECT_TRUE(Contains(run.output.substr(run.output.size() - 20), "</html>"));
}

TEST(ExportProgram, NoFormatNamesTheFoldersOfInputs) {
  const TemporaryFolder secret;
  const TemporaryFolder folder;
  const std::string trace = secret.Path("trace.json.gz");
  fs::copy(Trace(), trace);
  for (const char* format :
       {"chrome", "perfetto", "csv", "json", "parquet", "nsys-sqlite", "tensorboard"}) {
    const std::string output = folder.Path(format);
    const ProgramRun run = RunWarpsight({"export", trace, "--to", format, "-o", output});
    ASSERT_EQ(run.exit_code, 0) << run.errors;
    std::vector<std::string> files = {output};
    if (fs::is_directory(output)) {
      files.clear();
      for (const auto& entry : fs::recursive_directory_iterator(output)) {
        if (entry.is_regular_file()) files.push_back(entry.path().string());
      }
    }
    for (const std::string& file : files) {
      EXPECT_FALSE(Contains(ReadFile(file), secret.path())) << file;
    }
  }
  EXPECT_TRUE(Contains(ReadFile(folder.Path("csv/trust.csv")), "records in trace.json.gz"));
}

TEST(ExportProgram, FoldersContainAFilePerReportAndAnIndex) {
  const TemporaryFolder folder;
  for (const std::string format : {"csv", "json"}) {
    const std::string output = folder.Path(format);
    const ProgramRun run = RunWarpsight({"export", Trace(), "--to", format, "-o", output});
    ASSERT_EQ(run.exit_code, 0) << run.errors;
    EXPECT_TRUE(fs::exists(output + "/index." + format));
    const std::string report = ReadFile(output + "/cuda_gpu_kern_sum." + format);
    EXPECT_EQ(report,
              RunWarpsight({"report", Trace(), "--report", "cuda_gpu_kern_sum", "--format", format})
                  .output);
    EXPECT_FALSE(fs::exists(output + ".part"));
  }
}

TEST(ExportProgram, ParquetKeepsFilesOfOtherRuns) {
  const TemporaryFolder folder;
  const std::string output = folder.Path("runs");
  ASSERT_EQ(RunWarpsight({"export", Trace(), "--to", "parquet", "-o", output}).exit_code, 0);
  ASSERT_EQ(RunWarpsight({"export", BundledTracePath("bert_inference_nosteps"), "--to", "parquet",
                          "-o", output})
                .exit_code,
            0);
  EXPECT_TRUE(fs::exists(output + "/kernels/rank=0/resnet18_cuda_graph_inference.parquet"));
  EXPECT_TRUE(fs::exists(output + "/kernels/rank=0/bert_inference_nosteps.parquet"));
}

TEST(ExportProgram, FailuresLeaveNothingBehind) {
  const TemporaryFolder folder;
  for (const char* format :
       {"chrome", "perfetto", "csv", "parquet", "nsys-sqlite", "tensorboard"}) {
    const std::string output = folder.Path("missing/out");
    std::ofstream(folder.Path("missing")) << "a file where a folder should be";
    const ProgramRun run = RunWarpsight({"export", Trace(), "--to", format, "-o", output});
    EXPECT_EQ(run.exit_code, 1) << format;
    EXPECT_TRUE(Contains(run.errors, output)) << run.errors;
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.Path("")), {}), 1) << format;
  }
  EXPECT_EQ(RunWarpsight({"export", Trace(), "--to", "csv", "-o", "-"}).exit_code, 1);
}

TEST(ExportProgram, AFullDiskIsAnError) {
  if (!fs::exists("/dev/full")) GTEST_SKIP();
  const std::string command =
      "'" WARPSIGHT_PROGRAM "' export '" + Trace() + "' --to chrome -o - > /dev/full 2>/dev/null";
  EXPECT_NE(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace warpsight::testing
