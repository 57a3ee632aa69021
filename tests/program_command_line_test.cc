// The command line as people type it: names, wrong options, standard input, widths, colors.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gnu/libc-version.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/text/display_width.h"
#include "chrome_text.h"
#include "running_program.h"
#include "store/stored_tables.h"
#include "test_traces.h"
#include "wire/cuda_versions.h"

namespace warpsight::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::vector<std::string>& Commands() {
  static const auto* commands =
      new std::vector<std::string>{"profile", "import", "report", "advise", "whatif", "info",
                                   "kernel",  "query",  "view",   "export", "mcp",    "version"};
  return *commands;
}

const std::string& Trace() {
  static const auto* path = new std::string(BundledTracePath("resnet18_cuda_graph_inference"));
  return *path;
}

// An environment variable, for one test.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name); before != nullptr) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() {
    if (before_.empty()) {
      unsetenv(name_);
    } else {
      setenv(name_, before_.c_str(), 1);
    }
  }

 private:
  const char* name_;
  std::string before_;
};

// The current folder, for one test.
class CurrentFolder {
 public:
  explicit CurrentFolder(const std::string& path) : before_(fs::current_path()) {
    fs::current_path(path);
  }
  CurrentFolder(const CurrentFolder&) = delete;
  CurrentFolder& operator=(const CurrentFolder&) = delete;
  ~CurrentFolder() { fs::current_path(before_); }

 private:
  fs::path before_;
};

TEST(ProgramCommandLine, WrongLinesSuggestTheRightOnes) {
  struct Case {
    std::vector<std::string> arguments;
    std::string message;
    int exit_code = 2;
  };
  const std::string batch = " is not a whole number from 1 to 4294967296";
  const std::vector<Case> cases = {
      {{"reprot", "x"}, "there is no command and no file 'reprot'; did you mean 'report'?"},
      {{"frobnicate"}, "there is no command and no file 'frobnicate'; see warpsight --help"},
      {{"help", "improt"}, "help: there is no command 'improt'; did you mean 'import'?"},
      {{"--verson"}, "unknown option '--verson'; did you mean '--version'?"},
      {{"view", "--prt", "80", "x"}, "view: unknown option '--prt'; did you mean '--port'?"},
      {{"info", "--nosuch", "x"}, "info: unknown option '--nosuch'; see warpsight info --help"},
      {{"profile", "--step", "1:2", "--", "true"},
       "profile: unknown option '--step'; did you mean '--steps'?"},
      {{"profile", "train.py"}, "profile: unknown argument 'train.py'; put the program after --"},
      {{"info"}, "info: specify PROFILE|TRACE; see warpsight info --help"},
      {{"query", "x"}, "query: specify SQL; see warpsight query --help"},
      {{"report", "x", "--format"}, "report: --format needs a value: --format FORMAT"},
      {{"report", "x", "--format", "pdf"}, "--format: 'pdf' is not one of text, csv, json, md"},
      {{"report", "x", "--color", "yes"}, "--color: 'yes' is not one of auto, always, never"},
      {{"report", "x", "--report", "kernl"}, "there is no report 'kernl'; did you mean 'kernel'?"},
      {{"advise", "x", "--rule", "host-snc"},
       "there is no rule 'host-snc'; did you mean 'host-sync'?"},
      {{"export", "x", "--to", "chrom"}, "--to: 'chrom' is not one of html, chrome, csv, "},
      {{"info", "--batch-size", "-3", "x"}, "--batch-size: '-3'" + batch},
      {{"info", "--batch-size", "1e400", "x"}, "--batch-size: '1e400'" + batch},
      {{"info", "--iter-start", "x", "y"},
       "--iter-start: 'x' is not a whole number from 0 to 4294967296"},
      {{"info", "--iter-start", "3", "--iter-stop", "1", "x"},
       "--iter-stop: 1 is before the first iteration, --iter-start 3"},
      {{"report", "--rows", "-5", "x"}, "--rows: '-5' is not a whole number from 0 to 10000000"},
      {{"export", "--rows", "0", "x"}, "--rows: '0' is not a whole number from 1 to 10000000"},
      {{"export", "--timeline-mb", "nan", "x"},
       "--timeline-mb: 'nan' is not a number from 0 to 1000"},
      {{"view", "-p", "99999", "x"}, "--port: '99999' is not a whole number from 1 to 65535"},
      {{"profile", "--delay", "-1", "--", "true"},
       "--delay must be more than 0 and at most 10000000 seconds, got -1"},
      {{"profile", "--steps", "5:1", "--", "true"}, "--steps: 5:1 is empty: "},
      {{"whatif", "x", "--scale", "kernel~a=-1"},
       "--scale: 'kernel~a=-1': a factor cannot be negative"},
      {{"report", "x", "--peaks", "bf16=-1"}, "--peaks: bf16: '-1' is not a positive number"},
      {{"report", "-", "-"}, "standard input can be read only once", 1},
      {{"no/such.json"}, "no/such.json: cannot open: No such file or directory", 1},
      {{"view", "no/such.json"}, "no/such.json: no such file", 1},
  };
  for (const Case& wrong : cases) {
    const ProgramRun run = RunWarpsight(wrong.arguments);
    EXPECT_EQ(run.exit_code, wrong.exit_code) << wrong.message;
    EXPECT_EQ(run.output, "") << wrong.message;
    EXPECT_THAT(run.errors, StartsWith("warpsight: " + wrong.message));
    EXPECT_EQ(std::count(run.errors.begin(), run.errors.end(), '\n'), 1) << run.errors;
  }
}

TEST(ProgramCommandLine, HelpAndVersion) {
  const ProgramRun alone = RunWarpsight({});
  EXPECT_EQ(alone.exit_code, 0);
  EXPECT_THAT(alone.output, StartsWith("Warpsight shows where a GPU program spends its time.\n"));
  EXPECT_EQ(RunWarpsight({"help"}).output, RunWarpsight({"--help"}).output);
  for (const std::string& command : Commands()) {
    EXPECT_THAT(alone.output, HasSubstr("\n  " + command + " ")) << command;
    const ProgramRun help = RunWarpsight({"help", command});
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_THAT(help.output, HasSubstr("Usage: warpsight " + command + " "));
    EXPECT_EQ(help.output, RunWarpsight({command, "--help"}).output);
  }
}

TEST(ProgramCommandLine, TheVersionSaysHowItWasBuilt) {
  const std::string text = RunWarpsight({"version"}).output;
  EXPECT_THAT(text, StartsWith("warpsight " WARPSIGHT_VERSION "\n"));
  EXPECT_EQ(RunWarpsight({"-V"}).output, text);
  EXPECT_EQ(RunWarpsight({"--version"}).output, text);
  const std::string json = RunWarpsight({"version", "--format", "json"}).output;
  EXPECT_EQ(RunWarpsight({"--version", "--format", "json"}).output, json);
  EXPECT_THAT(json, HasSubstr("\"version\": \"" WARPSIGHT_VERSION "\","));
  EXPECT_THAT(json, HasSubstr(fmt::format("\"schema\": {},", store::kSchemaVersion)));
  EXPECT_THAT(text, HasSubstr(fmt::format("schema {}\n", store::kSchemaVersion)));
  EXPECT_THAT(json, HasSubstr(fmt::format("\"glibc\": \"{}\",", gnu_get_libc_version())));
  EXPECT_THAT(text, HasSubstr("CUDA " + std::string(wire::kOldestCuda) + " or newer"));
  for (const std::string library : {"DuckDB", "SQLite", "simdjson", "zstd", "fmt"}) {
    EXPECT_THAT(json, ContainsRegex("\"" + library + "\": \"[0-9]+\\.[0-9]+"));
    EXPECT_THAT(text, ContainsRegex(library + " [0-9]+\\.[0-9]+"));
  }
}

// Runs a script of the shell; what it prints.
std::string OutputOf(const std::string& script) {
  std::FILE* const pipe = popen(script.c_str(), "r");
  if (pipe == nullptr) return {};
  std::string output;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) output += static_cast<char>(c);
  pclose(pipe);
  return output;
}

// cmake/WriteCommit.cmake in a repository of its own.
TEST(ProgramCommandLine, TheCommitIsWrittenOnlyWhenItChanges) {
  for (const std::string tool : {"git", "cmake"}) {
    if (OutputOf("command -v " + tool).empty()) GTEST_SKIP() << "needs " << tool;
  }
  const TemporaryFolder folder;
  const std::string header = folder.Path("commit.h");
  const std::string in_folder = "cd " + folder.path() + " && git -c user.name=a -c user.email=a@b ";
  const auto write = [&] {
    OutputOf("cmake -DSOURCE=" + folder.path() + " -DHEADER=" + header + " -P " +
             SourcePath("cmake/WriteCommit.cmake"));
    return ReadFile(header);
  };
  // An archive of the sources.
  EXPECT_THAT(write(),
              HasSubstr("#define WARPSIGHT_COMMIT \"\"\n#define WARPSIGHT_MODIFIED false"));
  fs::create_directory(folder.Path("src"));
  std::ofstream(folder.Path("src/a.cc")) << "1";
  OutputOf(in_folder + "init -q && git add src && " + in_folder + "commit -q -m a");
  const std::string commit = OutputOf(in_folder + "rev-parse HEAD");
  ASSERT_EQ(commit.size(), 41U);
  EXPECT_THAT(write(), HasSubstr("\"" + commit.substr(0, 40) + "\""));
  EXPECT_THAT(write(), HasSubstr("#define WARPSIGHT_MODIFIED false"));
  const auto written = fs::last_write_time(header);
  std::ofstream(folder.Path("notes.txt")) << "not part of the program";
  write();
  EXPECT_EQ(fs::last_write_time(header), written);
  std::ofstream(folder.Path("src/b.cc")) << "2";
  EXPECT_THAT(write(), HasSubstr("#define WARPSIGHT_MODIFIED true"));
}

TEST(ProgramCommandLine, AFileAloneIsReported) {
  const ProgramRun run = RunWarpsight({Trace()});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(run.output, RunWarpsight({"report", Trace()}).output);
  EXPECT_EQ(RunWarpsight({Trace(), "--report", "kernel"}).output,
            RunWarpsight({"report", "--report", "kernel", Trace()}).output);
}

TEST(ProgramCommandLine, StandardInput) {
  const TemporaryFolder folder;
  const TemporaryFolder temporary;
  const Variable place("TMPDIR", temporary.path());
  const std::string profile = folder.Path("run.warpsight");
  ASSERT_EQ(RunWarpsight({"import", Trace(), "-o", profile}).exit_code, 0);
  const auto without_title = [](const std::string& text) { return text.substr(text.find('\n')); };
  const std::string sql = "SELECT count(*) AS n FROM kernels";
  for (const std::string& path : {Trace(), profile}) {
    const std::string bytes = ReadFile(path);
    const ProgramRun report = RunWarpsight({"report", "-"}, bytes);
    EXPECT_EQ(report.exit_code, 0) << report.errors;
    EXPECT_EQ(without_title(report.output), without_title(RunWarpsight({"report", path}).output));
    EXPECT_THAT(RunWarpsight({"info", "-", "--format", "json"}, bytes).output,
                HasSubstr("\"kernels\": 990,"));
    EXPECT_EQ(RunWarpsight({"query", "-", sql, "--format", "csv"}, bytes).output, "n\n990\n");
    EXPECT_EQ(RunWarpsight({"advise", "-", "--format", "md"}, bytes).exit_code, 0);
  }
  const ProgramRun import =
      RunWarpsight({"import", "-", "-o", folder.Path("in.warpsight")}, ReadFile(Trace()));
  EXPECT_EQ(import.exit_code, 0) << import.errors;
  EXPECT_THAT(
      RunWarpsight({"report", folder.Path("in.warpsight"), "--report", "trust", "--format", "csv"})
          .output,
      HasSubstr("records in standard input ("));
  EXPECT_EQ(RunWarpsight({"info", "-"}, "").errors,
            "warpsight: standard input: the file is empty\n");
  EXPECT_THAT(RunWarpsight({"info", "-"}, "not a trace").errors,
              StartsWith("warpsight: standard input: not a trace that Warpsight reads"));
  EXPECT_EQ(temporary.FileCount(), 0U);
}

TEST(ProgramCommandLine, ProfilesAreNamedAfterTheInput) {
  const TemporaryFolder folder;
  const CurrentFolder current(folder.path());
  fs::create_directory("traces");
  fs::copy_file(Trace(), "traces/run.pt.trace.json.gz");
  const ProgramRun first = RunWarpsight({"import", "traces/run.pt.trace.json.gz"});
  EXPECT_EQ(first.exit_code, 0) << first.errors;
  EXPECT_THAT(first.output, StartsWith("run.warpsight: "));
  const std::string bytes = ReadFile("run.warpsight");
  // An output that the user did not name is never replaced.
  EXPECT_THAT(RunWarpsight({"import", "traces"}).output, StartsWith("traces.warpsight: "));
  EXPECT_THAT(RunWarpsight({"import", "traces/run.pt.trace.json.gz"}).output,
              StartsWith("run-2.warpsight: "));
  EXPECT_EQ(ReadFile("run.warpsight"), bytes);
}

TEST(ProgramCommandLine, QueriesATrace) {
  const TemporaryFolder temporary;
  const Variable place("TMPDIR", temporary.path());
  const ProgramRun run =
      RunWarpsight({"query", Trace(), "SELECT count(*) AS n FROM kernels", "--format", "csv"});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(run.output, "n\n990\n");
  EXPECT_EQ(temporary.FileCount(), 0U);

  RunningProgram endless(
      {"query", Trace(), "SELECT count(*) FROM range(1000000) a, range(1000000) b"}, {});
  // Nothing is left behind, whether or not it is still importing by then.
  EXPECT_FALSE(endless.Wait(std::chrono::milliseconds(300)));
  endless.SendWhenReady(SIGINT);
  EXPECT_EQ(endless.Wait(), 130);
  EXPECT_EQ(temporary.FileCount(), 0U);
}

TEST(ProgramCommandLine, ViewsAFolder) {
  using Stream = RunningProgram::Stream;
  const TemporaryFolder folder;
  fs::copy_file(Trace(), folder.Path("a.json.gz"));
  RunningProgram view({"view", folder.path(), "-p", "18431"},
                      {.output = Stream::kPiped, .errors = Stream::kPiped});
  EXPECT_TRUE(view.WaitFor("Ctrl-C ends the viewer")) << view.printed();
  view.Send(SIGINT);
  EXPECT_EQ(view.Wait(), 0);
  fs::remove(folder.Path("a.json.gz"));
  const ProgramRun empty = RunWarpsight({"view", folder.path()});
  EXPECT_EQ(empty.exit_code, 1);
  EXPECT_THAT(empty.errors, HasSubstr("the folder contains no profile and no trace"));
}

// Keeps a file from being opened by others: they wait, until the lease is released or, after 45 s,
// broken by the system.
class FileLease {
 public:
  explicit FileLease(const std::string& path) : file_(open(path.c_str(), O_RDWR | O_CLOEXEC)) {
    std::signal(SIGIO, SIG_IGN);  // sent when another opens it
    held_ = fcntl(file_, F_SETLEASE, F_WRLCK) == 0;
  }
  FileLease(const FileLease&) = delete;
  FileLease& operator=(const FileLease&) = delete;
  ~FileLease() {
    Release();
    close(file_);
    std::signal(SIGIO, SIG_DFL);
  }

  bool held() const { return held_; }
  void Release() { fcntl(file_, F_SETLEASE, F_UNLCK); }

 private:
  int file_;
  bool held_ = false;
};

std::string TraceOfRank(int rank) {
  ChromeText text;
  for (int i = 0; i < rank + 2; ++i) {
    text.Call("cudaLaunchKernel", 10 * i, 2, i + 1).Kernel("k", 10 * i + 3, 5, i + 1);
  }
  text.Top("distributedInfo",
           fmt::format(R"({{"backend": "nccl", "rank": {}, "world_size": 3}})", rank));
  return text.Text();
}

TEST(ProgramCommandLine, ShowsTheProgressOfReadingAFolder) {
  const TemporaryFolder folder;
  for (const int rank : {0, 1}) {
    std::ofstream(folder.Path(fmt::format("rank{}.json", rank))) << TraceOfRank(rank);
  }
  // The last rank comes from a pipe, for which the program waits when it has read the folder.
  const TemporaryFolder other;
  const std::string pipe = other.Path("rank2.json");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  RunningProgram report({"report", folder.path(), pipe}, {.terminal = true});
  EXPECT_TRUE(report.WaitFor("reading    ██████████████████████████████ 100 %"))
      << report.printed();
  std::ofstream(pipe) << TraceOfRank(2);
  EXPECT_EQ(report.Wait(), 0);
  EXPECT_THAT(report.printed(), HasSubstr("3 ranks"));

  FileLease lease(folder.Path("rank1.json"));
  if (!lease.held()) GTEST_SKIP() << "needs a temporary folder whose files can be leased";
  RunningProgram view({"view", folder.path()}, {.terminal = true});
  EXPECT_TRUE(view.WaitFor("listing … 0 s")) << view.printed();
  lease.Release();
  EXPECT_TRUE(view.WaitFor("Ctrl-C ends the viewer")) << view.printed();
}

TEST(ProgramCommandLine, Color) {
  const std::string escape = "\x1b[";
  for (const std::string command : {"report", "advise", "whatif"}) {
    EXPECT_THAT(RunWarpsight({command, Trace()}).output, Not(HasSubstr(escape)));
    EXPECT_THAT(RunWarpsight({command, Trace(), "--color", "always"}).output, HasSubstr(escape));
  }
  const auto on_terminal = [](const std::string& color, const std::string& no_color) {
    RunningProgram run({"advise", Trace(), "--color", color},
                       {.terminal = true, .environment = {"TERM=xterm", "NO_COLOR=" + no_color}});
    EXPECT_EQ(run.Wait(), 0);
    return run.printed();
  };
  const std::string bold = "\x1b[1m";
  EXPECT_THAT(on_terminal("auto", ""), HasSubstr(bold));
  EXPECT_THAT(on_terminal("never", ""), Not(HasSubstr(bold)));
  EXPECT_THAT(on_terminal("auto", "1"), Not(HasSubstr(bold)));
  EXPECT_THAT(on_terminal("always", "1"), HasSubstr(bold));
}

// Examples of commands are not wrapped, so that they can be copied.
void ExpectWidth(const std::vector<std::string>& arguments, size_t width) {
  const Variable columns("COLUMNS", fmt::format("{}", width));
  const ProgramRun run = RunWarpsight(arguments);
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  std::istringstream lines(run.output);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("  warpsight ") != line.npos) continue;
    EXPECT_LE(DisplayWidth(line), width) << arguments.front() << ": " << line;
  }
}

TEST(ProgramCommandLine, FitsTheTerminal) {
  // Short names: the program does not break those of files.
  const TemporaryFolder folder;
  const CurrentFolder current(folder.path());
  const std::string trace = BundledTracePath("gpt2_bf16");
  const std::string profile = "run.warpsight";
  for (const size_t width : {60U, 80U, 120U, 200U}) {
    for (const std::string& command : Commands()) ExpectWidth({"help", command}, width);
    ExpectWidth({}, width);
    ExpectWidth({"help"}, width);
    ExpectWidth({"report", trace}, width);
    ExpectWidth({"report", trace, "--report",
                 "kernel,detail,group_op,steps,trust,sol,gaps,gpus,nvprof,summary", "--rows", "5"},
                width);
    ExpectWidth({"import", trace, "-o", profile, "--force"}, width);
    ExpectWidth({"export", profile, "-o", "run.html", "--force"}, width);
    ExpectWidth({"version"}, width);
    ExpectWidth({"report", "--list"}, width);
    ExpectWidth({"advise", trace, "--all"}, width);
    ExpectWidth({"advise", "--list"}, width);
    ExpectWidth({"whatif", trace, "--no-syncs", "--remove", "kernel~elementwise"}, width);
    ExpectWidth({"info", trace}, width);
    ExpectWidth({"kernel", "nvjet_sm90_tst_192x128_64x5_1x2_h_bz_coopA_NNT"}, width);
  }
}

}  // namespace
}  // namespace warpsight::testing
