// The program's output never destroys other files and leaves nothing behind.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "cli/capture/run_folder.h"
#include "running_program.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

namespace fs = std::filesystem;

constexpr const char* kForeign = "years of work\n";

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class OutputSafety : public ::testing::Test {
 protected:
  OutputSafety() : trace_(folder_.Path("t.json.gz")) {
    fs::copy_file(BundledTracePath("resnet18_cuda_graph_inference"), trace_);
  }

  std::string Path(const std::string& name) const { return folder_.Path(name); }
  static std::string WriteForeign(const std::string& path) {
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path) << kForeign;
    return path;
  }
  std::string MakeProfile() {
    std::string profile = Path("run.warpsight");
    EXPECT_EQ(RunWarpsight({"import", trace_, "-o", profile}).exit_code, 0);
    return profile;
  }
  static void ExpectRefused(const std::vector<std::string>& command, const std::string& file,
                            const std::string& reason) {
    const std::string before = ReadFile(file);
    const ProgramRun run = RunWarpsight(command);
    EXPECT_EQ(run.exit_code, 2) << run.errors;
    EXPECT_TRUE(Contains(run.errors, reason)) << run.errors;
    EXPECT_TRUE(Contains(run.errors, file)) << run.errors;
    EXPECT_EQ(std::count(run.errors.begin(), run.errors.end(), '\n'), 1) << run.errors;
    EXPECT_TRUE(ReadFile(file) == before) << file;
  }
  static void ExpectRefusedAlsoWithForce(std::vector<std::string> command,
                                         const std::string& file) {
    ExpectRefused(command, file, "is one of the inputs");
    command.emplace_back("--force");
    ExpectRefused(command, file, "is one of the inputs");
  }
  static void ExpectOnlyWithForce(std::vector<std::string> command, const std::string& file) {
    WriteForeign(file);
    ExpectRefused(command, file, "replace it with --force");
    command.emplace_back("--force");
    const ProgramRun run = RunWarpsight(command);
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    EXPECT_NE(ReadFile(file), kForeign) << file;
  }
  static void ExpectTwice(const std::vector<std::string>& command) {
    for (int i = 0; i < 2; ++i) {
      const ProgramRun run = RunWarpsight(command);
      EXPECT_EQ(run.exit_code, 0) << run.errors;
      EXPECT_EQ(run.errors, "");
    }
  }

  const TemporaryFolder folder_;
  const std::string trace_;
};

struct Format {
  const char* name;
  const char* output;
  const char* file;  // one of the written files
};

constexpr Format kFormats[] = {
    {"html", "out.html", "out.html"},
    {"chrome", "out.json.gz", "out.json.gz"},
    {"chrome", "out.json", "out.json"},
    {"perfetto", "out.pftrace", "out.pftrace"},
    {"perfetto", "out.pftrace.gz", "out.pftrace.gz"},
    {"nsys-sqlite", "out.sqlite", "out.sqlite"},
    {"csv", "csv", "csv/cuda_gpu_kern_sum.csv"},
    {"csv", "csv2", "csv2/index.csv"},
    {"json", "json", "json/cuda_gpu_kern_sum.json"},
    {"json", "json2", "json2/index.json"},
    {"parquet", "parquet", "parquet/kernels/rank=0/t.parquet"},
    {"tensorboard", "logs", "logs/t/events.out.tfevents.1794709068.warpsight"},
};

TEST_F(OutputSafety, ImportNeverReplacesItsTrace) {
  fs::create_symlink("t.json.gz", Path("soft"));
  fs::create_hard_link(trace_, Path("hard"));
  for (const std::string& output : {trace_, Path("soft"), Path("hard")}) {
    ExpectRefusedAlsoWithForce({"import", trace_, "-o", output}, output);
  }
  ExpectRefusedAlsoWithForce({"import", Path("soft"), "-o", trace_}, trace_);
  ExpectRefusedAlsoWithForce({"import", folder_.path(), "-o", trace_}, trace_);
}

TEST_F(OutputSafety, ImportReplacesOtherFilesOnlyWithForce) {
  ExpectOnlyWithForce({"import", trace_, "-o", Path("thesis.tex")}, Path("thesis.tex"));
  // The check comes before any work: the input does not even exist.
  WriteForeign(Path("other.tex"));
  ExpectRefused({"import", Path("missing.json"), "-o", Path("other.tex")}, Path("other.tex"),
                "it exists and is not a Warpsight profile");
}

TEST_F(OutputSafety, ImportsCanBeRepeated) {
  ExpectTwice({"import", trace_, "-o", Path("run.warpsight")});
  fs::create_directory(Path("traces"));
  fs::copy_file(trace_, Path("traces/t.json.gz"));
  const std::vector<std::string> into_its_folder = {"import", Path("traces"), "-o",
                                                    Path("traces/run.warpsight")};
  EXPECT_EQ(RunWarpsight(into_its_folder).exit_code, 0);
  EXPECT_EQ(RunWarpsight(into_its_folder).exit_code, 0) << "the profile is not read as a trace";
}

TEST_F(OutputSafety, LogsOfOtherProgramsStay) {
  WriteForeign(Path("run.warpsight.wal"));
  ExpectRefused({"import", trace_, "-o", Path("run.warpsight"), "--force"},
                Path("run.warpsight.wal"), "move that file away");
  EXPECT_FALSE(fs::exists(Path("run.warpsight")));
}

TEST_F(OutputSafety, ExportsNeverReplaceTheProfile) {
  const std::string profile = MakeProfile();
  for (const char* format : {"html", "chrome", "perfetto", "nsys-sqlite"}) {
    ExpectRefusedAlsoWithForce({"export", profile, "--to", format, "-o", profile}, profile);
  }
  ExpectRefusedAlsoWithForce({"export", profile, "--html", profile}, profile);
  fs::create_symlink("run.warpsight", Path("link"));
  ExpectRefusedAlsoWithForce({"export", Path("link"), "--html", profile}, profile);
  // A file in a folder.
  fs::create_directory(Path("out"));
  fs::copy_file(trace_, Path("out/summary.csv"));
  ExpectRefusedAlsoWithForce({"export", Path("out/summary.csv"), "--to", "csv", "-o", Path("out")},
                             Path("out/summary.csv"));
}

TEST_F(OutputSafety, ExportsReplaceOtherFilesOnlyWithForce) {
  for (const Format& format : kFormats) {
    SCOPED_TRACE(format.output);
    ExpectOnlyWithForce({"export", trace_, "--to", format.name, "-o", Path(format.output)},
                        Path(format.file));
  }
}

TEST_F(OutputSafety, ExportsCanBeRepeated) {
  for (const Format& format : kFormats) {
    SCOPED_TRACE(format.output);
    ExpectTwice({"export", trace_, "--to", format.name, "-o", Path(format.output)});
    EXPECT_TRUE(fs::exists(Path(format.file)));
  }
}

TEST_F(OutputSafety, AnotherFormatsFileIsNotReplaced) {
  ASSERT_EQ(RunWarpsight({"export", trace_, "--html", Path("run.html")}).exit_code, 0);
  ExpectRefused({"export", trace_, "--to", "chrome", "-o", Path("run.html")}, Path("run.html"),
                "it exists and is not a file that `warpsight export --to chrome` wrote");
  ExpectRefused({"import", trace_, "-o", Path("run.html")}, Path("run.html"), "--force");
}

TEST_F(OutputSafety, DefaultNamesReplaceNoOtherFile) {
  WriteForeign(Path("t.html"));
  const std::string command =
      "cd '" + folder_.path() + "' && '" WARPSIGHT_PROGRAM "' export t.json.gz 2>/dev/null";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 2);
  EXPECT_EQ(ReadFile(Path("t.html")), kForeign);
}

TEST_F(OutputSafety, ReportsReplaceOnlyReports) {
  for (const std::string format : {"text", "csv", "json", "md"}) {
    const std::string ending = format == "text" ? "txt" : format;
    const std::string folder = Path("reports_" + format);
    ExpectTwice({"report", trace_, "--format", format, "-o", folder});
    ExpectTwice({"report", BundledTracePath("gpt2_bf16"), "--format", format, "-o", folder});
    ExpectOnlyWithForce({"report", trace_, "--format", format, "-o", folder},
                        folder + "/gaps." + ending);
  }
  fs::create_directory(Path("in"));
  fs::copy_file(trace_, Path("in/gaps.json"));
  ExpectRefusedAlsoWithForce({"report", Path("in/gaps.json"), "--format", "json", "-o", Path("in")},
                             Path("in/gaps.json"));
  ExpectRefusedAlsoWithForce({"report", Path("in"), "--format", "json", "-o", Path("in")},
                             Path("in/gaps.json"));
  EXPECT_EQ(std::distance(fs::directory_iterator(Path("in")), {}), 1) << "no report is written";
}

TEST_F(OutputSafety, RecordingNeverReplacesTheProgram) {
  const std::string script = Path("train.sh");
  std::ofstream(script) << "true\n";
  for (const char* option : {"-q", "--force"}) {
    ExpectRefused({"profile", option, "-o", script, "--", "sh", script}, script,
                  "is one of the inputs");
  }
  WriteForeign(Path("thesis.tex"));
  ExpectRefused({"profile", "-o", Path("thesis.tex"), "--", "sh", script}, Path("thesis.tex"),
                "replace it with --force");
}

TEST_F(OutputSafety, DevicesAreWrittenTo) {
  for (const char* format : {"html", "chrome", "perfetto"}) {
    const ProgramRun run = RunWarpsight({"export", trace_, "--to", format, "-o", "/dev/null"});
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
    const ProgramRun through =
        RunWarpsight({"export", trace_, "--to", format, "-o", "/dev/stdout"});
    const ProgramRun direct = RunWarpsight({"export", trace_, "--to", format, "-o", "-"});
    EXPECT_EQ(through.exit_code, 0) << through.errors;
    EXPECT_TRUE(through.output.starts_with(direct.output.substr(0, 1000))) << format;
  }
  EXPECT_EQ(RunWarpsight({"import", trace_, "-o", "/dev/null"}).exit_code, 1);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

// In two containers that share a folder, both imports have process id 1 or 2.
TEST_F(OutputSafety, ImportsWithEqualProcessIdsDoNotCollide) {
  const std::string isolated = "unshare -p -f --mount-proc ";
  if (std::system((isolated + "true 2>/dev/null").c_str()) != 0) {
    GTEST_SKIP() << "no namespaces of process ids here";
  }
  const std::string other = BundledTracePath("bert_inference_nosteps");
  for (int round = 0; round < 3; ++round) {
    const auto import = [&](const std::string& trace, const std::string& output) {
      return isolated + "'" WARPSIGHT_PROGRAM "' import '" + trace + "' -o '" + Path(output) +
             "' >/dev/null & ";
    };
    const std::string command =
        import(trace_, "a.warpsight") + import(other, "b.warpsight") + "wait";
    ASSERT_EQ(std::system(command.c_str()), 0);
    const auto name = [&](const std::string& profile) {
      return RunWarpsight({"query", Path(profile), "--format", "csv",
                           "SELECT value FROM warpsight WHERE key = 'profile_name'"})
          .output;
    };
    EXPECT_EQ(name("a.warpsight"), "value\nt\n");
    EXPECT_EQ(name("b.warpsight"), "value\nbert_inference_nosteps\n");
  }
  EXPECT_EQ(folder_.FileCount(), 3U);
}

// Kills an import once its private folder exists; returns whether it was killed before its end.
bool KillImport(const std::string& trace, const std::string& output, int signal) {
  const fs::path folder = fs::path(output).parent_path();
  RunningProgram import(
      {"import", trace, "-o", output},
      {.output = RunningProgram::Stream::kInherited, .errors = RunningProgram::Stream::kInherited});
  const auto writes = [&] {
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().filename().string().starts_with(".warpsight-")) return true;
    }
    return false;
  };
  while (!import.Wait(std::chrono::microseconds(200))) {
    if (!writes()) continue;
    import.Send(signal);
    break;
  }
  return import.Wait() != 0;
}

TEST_F(OutputSafety, LeftoversOfKilledImportsGoWithTheNextImport) {
  const std::string output = MakeProfile();
  const std::string before = ReadFile(output);
  bool killed = false;
  for (int attempt = 0; attempt < 10 && !killed; ++attempt) {
    killed = KillImport(BundledTracePath("gpt2_bf16"), output, SIGKILL);
  }
  ASSERT_TRUE(killed);
  EXPECT_TRUE(ReadFile(output) == before) << "the previous profile is complete";
  EXPECT_EQ(folder_.FileCount(), 3U) << "the trace, the profile and the leftover";
  const ProgramRun next = RunWarpsight({"import", trace_, "-o", Path("next.warpsight")});
  EXPECT_EQ(next.exit_code, 0) << next.errors;
  EXPECT_EQ(next.errors, "");
  EXPECT_EQ(folder_.FileCount(), 3U) << "the trace and two profiles";
}

TEST(RunFolder, RunsThatBeginTogetherDoNotShareAFolder) {
  const TemporaryFolder folder;
  fs::create_directory(folder.Path("run.capture"));  // of a run that was killed when it began
  {
    const auto first = RunFolder::Create(folder.Path("run.warpsight"));
    const auto second = RunFolder::Create(folder.Path("run.warpsight"));
    ASSERT_TRUE(first.ok());
    ASSERT_TRUE(second.ok());
    EXPECT_EQ(first->path(), folder.Path("run.capture"));
    EXPECT_EQ(second->path(), folder.Path("run-2.capture"));
  }
  EXPECT_EQ(folder.FileCount(), 0U);
}

}  // namespace
}  // namespace warpsight::testing
