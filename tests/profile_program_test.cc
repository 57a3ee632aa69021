// `warpsight profile` as a user runs it, on programs that need no GPU. Instead of the agent's
// files, the program copies a trace into the run's folder: formats are detected by content.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "cli/capture/capture_environment.h"
#include "cli/capture/program_name.h"
#include "importers/api/importer.h"
#include "importers/capture/test_capture.h"
#include "running_program.h"
#include "test_traces.h"

namespace warpsight::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr auto kPatience = std::chrono::seconds(60);

// A program that creates a recording with GPU work.
std::string Recorded(const std::string& rest = "") {
  return "cp '" + BundledTracePath("resnet18_cuda_graph_inference") +
         "' \"$WARPSIGHT_CAPTURE/1.wscap\"; " + rest;
}

class ProfileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    // Only its path is used.
    std::ofstream(folder_.Path("agent.so")) << "agent";
    setenv("WARPSIGHT_AGENT", folder_.Path("agent.so").c_str(), 1);
    for (const char* name : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "PYTHONPATH"}) {
      unsetenv(name);
    }
    fs::create_directory(folder_.Path("out"));
  }
  void TearDown() override {
    for (const char* name :
         {"WARPSIGHT_AGENT", "CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "PYTHONPATH"}) {
      unsetenv(name);
    }
  }

  std::string Output() const { return folder_.Path("out/run.warpsight"); }

  std::vector<std::string> Command(const std::vector<std::string>& options,
                                   const std::vector<std::string>& program) const {
    std::vector<std::string> arguments = {"profile", "-o", Output()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.emplace_back("--");
    arguments.insert(arguments.end(), program.begin(), program.end());
    return arguments;
  }
  ProgramRun Profile(const std::vector<std::string>& options,
                     const std::vector<std::string>& program, const std::string& input = "") const {
    return RunWarpsight(Command(options, program), input);
  }
  ProgramRun ProfileShell(const std::string& script,
                          const std::vector<std::string>& options = {}) const {
    return Profile(options, {"sh", "-c", script});
  }

  // The names of all files in the profile's folder.
  std::vector<std::string> Left() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.Path("out"))) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  TemporaryFolder folder_;
};

TEST_F(ProfileTest, ExitCodesAreTheProgramsAndAProfileIsMade) {
  const ProgramRun good = ProfileShell(Recorded());
  EXPECT_EQ(good.exit_code, 0);
  EXPECT_THAT(good.errors, HasSubstr("recording to " + Output()));
  EXPECT_THAT(good.errors, Not(HasSubstr("ended with")));
  const ProgramRun failed = ProfileShell(Recorded("exit 7"));
  EXPECT_EQ(failed.exit_code, 7);
  EXPECT_THAT(failed.errors, HasSubstr("the program ended with exit code 7\n"));
  const ProgramRun killed = ProfileShell(Recorded("kill -KILL $$"));
  EXPECT_EQ(killed.exit_code, 128 + SIGKILL);
  EXPECT_THAT(killed.errors, HasSubstr("the program was killed by SIGKILL\n"));
  EXPECT_THAT(Left(), ElementsAre("run.warpsight"));
}

TEST_F(ProfileTest, TheProgramsOutputIsUnchangedAndTheSummaryIsSeparate) {
  const ProgramRun run = ProfileShell("printf 'a\\0b\\n'; echo error >&2; " + Recorded());
  EXPECT_EQ(run.output, std::string("a\0b\n", 4));
  EXPECT_THAT(run.errors, HasSubstr("\nerror\n"));
  EXPECT_THAT(run.errors, HasSubstr("NVIDIA H200"));
  EXPECT_THAT(run.errors, HasSubstr("Change first"));
  EXPECT_THAT(run.errors, HasSubstr(Output() + ": 2,117 events"));
  EXPECT_THAT(run.errors, HasSubstr("warpsight view " + Output()));
  const ProgramRun info = RunWarpsight({"info", Output(), "--format", "json"});
  EXPECT_THAT(info.output, HasSubstr("\"kernels\": 990,"));
  EXPECT_THAT(info.output, HasSubstr("\"run\"")) << "the profile is named after its file";
}

TEST_F(ProfileTest, ArgumentsAndInputReachTheProgram) {
  const std::vector<std::string> odd = {"[a,b]", "--help", "",      "--",
                                        "-o",    "{x}",    "a b'c", "report"};
  std::vector<std::string> program = {"sh", "-c", "for a; do echo \"<$a>\"; done; cat", "name"};
  program.insert(program.end(), odd.begin(), odd.end());
  std::string expected;
  for (const std::string& argument : odd) expected += "<" + argument + ">\n";
  EXPECT_EQ(Profile({}, program, "typed\n").output, expected + "typed\n");
}

TEST_F(ProfileTest, QuietSaysNothing) {
  const ProgramRun run = ProfileShell(Recorded("exit 3"), {"--quiet"});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_EQ(run.output + run.errors, "");
  EXPECT_THAT(Left(), ElementsAre("run.warpsight"));
}

TEST_F(ProfileTest, ProgramsThatCannotBeStartedLeaveNothing) {
  const ProgramRun missing = Profile({}, {"no-such-program"});
  EXPECT_EQ(missing.exit_code, 127);
  EXPECT_THAT(missing.errors, HasSubstr("no-such-program: no such program"));
  std::ofstream(folder_.Path("plain")) << "text";
  const ProgramRun forbidden = Profile({}, {folder_.Path("plain")});
  EXPECT_EQ(forbidden.exit_code, 126);
  EXPECT_THAT(forbidden.errors, HasSubstr("cannot be started: Permission denied"));
  std::ofstream(folder_.Path("script")) << "#!/no/such/interpreter\n";
  fs::permissions(folder_.Path("script"), fs::perms::owner_all);
  const ProgramRun interpreter = Profile({}, {folder_.Path("script")});
  EXPECT_EQ(interpreter.exit_code, 127);
  EXPECT_THAT(interpreter.errors, HasSubstr("its interpreter does not exist"));
  EXPECT_THAT(Left(), IsEmpty());
}

// What was selected, and what only a whole recording can tell, is recorded as a whole.
TEST_F(ProfileTest, StretchesAreTheDefault) {
  const auto told = [&](const std::vector<std::string>& flags) {
    return ProfileShell("echo \"$WARPSIGHT_OPTIONS\"; exit 4", flags).output;
  };
  EXPECT_EQ(told({}), "shapes,stretches\n");
  EXPECT_EQ(told({"--record", "auto", "--stacks"}), "shapes,stacks,stretches\n");
  EXPECT_EQ(told({"--record", "all"}), "shapes\n");
  EXPECT_EQ(told({"--record", "2:4"}), "shapes,steps=2:4\n");
  EXPECT_EQ(told({"--steps", "2:4"}), "shapes,steps=2:4\n");
  EXPECT_EQ(told({"--delay", "1"}), "shapes,delay=1000\n");
  EXPECT_EQ(told({"--memory"}), "shapes,memory\n");
}

TEST_F(ProfileTest, AnEmptyRecordingIsReported) {
  const ProgramRun run = ProfileShell("exit 4");
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_THAT(run.errors, HasSubstr("no profile was written, because nothing was recorded: "));
  EXPECT_THAT(Left(), IsEmpty());
}

TEST_F(ProfileTest, RangesAloneGiveAProfile) {
  const std::string trace =
      R"({"traceEvents":[{"ph":"X","cat":"user_annotation","name":"load","pid":1,"tid":1,)"
      R"("ts":1.0,"dur":5.0}]})";
  const ProgramRun run = ProfileShell("echo '" + trace + "' >\"$WARPSIGHT_CAPTURE/1.wscap\"");
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_THAT(run.errors, HasSubstr("No GPU work was recorded: "));
  EXPECT_THAT(Left(), ElementsAre("run.warpsight"));
}

TEST_F(ProfileTest, TheEnvironmentStartsTheAgent) {
  setenv("PYTHONPATH", "/users/own", 1);
  const ProgramRun run = ProfileShell(
      "echo \"$WARPSIGHT_OPTIONS|$PYTHONPATH|$WARPSIGHT_CAPTURE|$WARPSIGHT_RUN|$HOME\";"
      "echo \"$WARPSIGHT_AGENT|$CUDA_INJECTION64_PATH|$NVTX_INJECTION64_PATH\";"
      "test -d \"$WARPSIGHT_CAPTURE\" && test -f \"${PYTHONPATH%%:*}/sitecustomize.py\" && echo "
      "there",
      {"--stacks", "--memory", "--no-shapes", "--delay", "1.5", "--duration", "30"});
  const char* home = std::getenv("HOME");
  EXPECT_THAT(run.output, StartsWith("stacks,memory,delay=1500,duration=30000|"));
  EXPECT_THAT(run.output, HasSubstr(":/users/own|" + folder_.Path("out/run.capture") + "|"));
  EXPECT_THAT(run.output,
              ::testing::ContainsRegex("\\|[0-9a-f]{16}\\|" + std::string(home ? home : "")));
  const std::string agent = folder_.Path("agent.so");
  EXPECT_THAT(run.output, HasSubstr("\n" + agent + "|" + agent + "|" + agent + "\nthere\n"));
}

TEST_F(ProfileTest, AnotherToolIsNotReplaced) {
  for (const char* variable : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"}) {
    setenv(variable, "/opt/other/libtool.so", 1);
    const ProgramRun run = ProfileShell("echo started");
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_EQ(run.output, "");
    EXPECT_THAT(run.errors,
                HasSubstr(std::string("another tool, /opt/other/libtool.so, uses ") + variable));
    unsetenv(variable);
  }
  setenv("CUDA_INJECTION64_PATH", folder_.Path("agent.so").c_str(), 1);
  EXPECT_EQ(ProfileShell("echo started").output, "started\n")
      << "our own agent is not another tool";
  EXPECT_THAT(Left(), IsEmpty());
}

TEST_F(ProfileTest, AMissingAgentIsReported) {
  setenv("WARPSIGHT_AGENT", "/nonexistent/agent.so", 1);
  const ProgramRun named = ProfileShell("echo started");
  EXPECT_EQ(named.exit_code, 2);
  EXPECT_THAT(named.errors, HasSubstr("/nonexistent/agent.so"));

  // The program alone in a folder, without an agent.
  unsetenv("WARPSIGHT_AGENT");
  const fs::path alone = fs::path(WARPSIGHT_BUILD_DIR) / ("alone-" + std::to_string(getpid()));
  fs::create_directories(alone / "bin");
  fs::create_hard_link(WARPSIGHT_PROGRAM, alone / "bin" / "warpsight");
  const std::string command = "LD_LIBRARY_PATH='" WARPSIGHT_BUILD_DIR "/lib' '" +
                              (alone / "bin" / "warpsight").string() + "' profile -o '" + Output() +
                              "' -- echo started >'" + folder_.Path("said") + "' 2>&1";
  const int status = std::system(command.c_str());
  fs::remove_all(alone);
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_THAT(ReadFile(folder_.Path("said")), HasSubstr("the recording agent is missing"));
  EXPECT_THAT(ReadFile(folder_.Path("said")), Not(HasSubstr("started")));
  EXPECT_THAT(Left(), IsEmpty());
}

TEST_F(ProfileTest, CaptureFilesAreKeptOnRequest) {
  const ProgramRun run = ProfileShell(Recorded(), {"--keep-capture"});
  EXPECT_THAT(run.errors, HasSubstr("the capture files are in " + folder_.Path("out/run.capture")));
  EXPECT_THAT(Left(), ElementsAre("run.capture", "run.warpsight"));
  // In the next run, the name of the folder is taken.
  const ProgramRun next = ProfileShell(Recorded("echo \"$WARPSIGHT_CAPTURE\""));
  EXPECT_EQ(next.output, folder_.Path("out/run-2.capture") + "\n");
  EXPECT_THAT(Left(), ElementsAre("run.capture", "run.warpsight"));
}

TEST_F(ProfileTest, CaptureFilesAreKeptIfTheyCannotBeImported) {
  const std::string garbage = "echo garbage >\"$WARPSIGHT_CAPTURE/1.wscap\"; ";
  const ProgramRun run = ProfileShell(garbage);
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.errors, HasSubstr("the recording was kept: warpsight import " +
                                    folder_.Path("out/run.capture") + " -o " + Output()));
  EXPECT_EQ(ProfileShell(garbage + "exit 9").exit_code, 9);
  EXPECT_THAT(Left(), ElementsAre("run-2.capture", "run.capture"));
}

TEST_F(ProfileTest, ImpossibleWindowsAreRejected) {
  const auto refusal = [&](const std::vector<std::string>& options) {
    const ProgramRun run = ProfileShell("echo started", options);
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_EQ(run.output, "");
    return run.errors;
  };
  for (const char* steps : {"20:10", "5:5", "-1:5"}) {
    EXPECT_THAT(refusal({"--steps=" + std::string(steps)}), HasSubstr("is empty")) << steps;
  }
  for (const char* steps : {"10", "a:b", "1:2:3", ":5", "1:"}) {
    EXPECT_THAT(refusal({"--steps", steps}), HasSubstr("is not of the form A:B")) << steps;
  }
  EXPECT_THAT(refusal({"--delay", "soon"}), HasSubstr("'soon' is not a number of seconds"));
  EXPECT_THAT(refusal({"--duration", "0"}), HasSubstr("must be more than 0 and at most"));
  EXPECT_THAT(refusal({"--duration=-3"}), HasSubstr("must be more than 0 and at most"));
  EXPECT_THAT(refusal({"--steps", "1:2", "--delay", "3"}), HasSubstr("cannot be combined"));
  EXPECT_THAT(refusal({"--record", "some"}), HasSubstr("--record: 'some' is not auto, all or A:B"));
  EXPECT_THAT(refusal({"--record", "1:2", "--steps", "1:2"}), HasSubstr("cannot be combined"));
  EXPECT_THAT(refusal({"--record", "1:2", "--delay", "3"}), HasSubstr("cannot be combined"));
  EXPECT_THAT(refusal({"--frobnicate"}), HasSubstr("unknown option '--frobnicate'"));
  EXPECT_EQ(RunWarpsight({"profile", "ls"}).exit_code, 2);
  EXPECT_EQ(RunWarpsight({"profile", "--"}).exit_code, 2);
  EXPECT_EQ(RunWarpsight({"profile", "-o", folder_.Path("out"), "--", "ls"}).exit_code, 2);
  EXPECT_EQ(RunWarpsight({"profile", "-o", "/nonexistent/x", "--", "ls"}).exit_code, 2);
  EXPECT_THAT(Left(), IsEmpty());
}

TEST_F(ProfileTest, HelpHasExamples) {
  const ProgramRun run = RunWarpsight({"profile", "--help"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.output, HasSubstr("warpsight profile -- python train.py"));
}

TEST_F(ProfileTest, WithoutANameTheProfileIsANewFileInTheCurrentFolder) {
  const std::string command =
      "cd '" + folder_.Path("out") + "' && for i in 1 2; do '" +
      WARPSIGHT_PROGRAM "' profile -q -- sh -c '" + "cp \"$0\" \"$WARPSIGHT_CAPTURE/1.wscap\"' '" +
      BundledTracePath("resnet18_cuda_graph_inference") + "' train.py; done";
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_THAT(Left(), ElementsAre("train-2.warpsight", "train.warpsight"));
}

TEST(ProgramName, IsTheScripts) {
  EXPECT_EQ(ProgramName({"python", "train.py", "--epochs", "3"}), "train");
  EXPECT_EQ(ProgramName({"/usr/bin/python3.11", "-u", "/x/y/train.py"}), "train");
  EXPECT_EQ(ProgramName({"torchrun", "--nproc-per-node", "8", "pretrain.py"}), "pretrain");
  EXPECT_EQ(ProgramName({"python", "-m", "pkg.train"}), "train");
  EXPECT_EQ(ProgramName({"python", "-m", "torch.distributed.run", "x.py"}), "x");
  EXPECT_EQ(ProgramName({"./build/simulate", "-m", "x"}), "simulate");
  EXPECT_EQ(ProgramName({"python"}), "python");
  EXPECT_EQ(ProgramName({"/"}), "program");
}

TEST(ProgramName, QuotedForShells) {
  EXPECT_EQ(ShellQuoted("a/b-c.warpsight"), "a/b-c.warpsight");
  EXPECT_EQ(ShellQuoted("it's"), "'it'\\''s'");
  EXPECT_EQ(ShellQuoted(""), "''");
  EXPECT_EQ(ShellQuoted("a\x1b'\xff\\"), "$'a\\033\\'\\377\\\\'");
}

TEST(CaptureOptions, HaveTheAgentsFormat) {
  CaptureOptions options;
  EXPECT_EQ(CaptureOptionsText(options), "shapes");
  options.steps = {10, 20};
  EXPECT_EQ(CaptureOptionsText(options), "shapes,steps=10:20");
  options.steps.reset();
  options.shapes = false;
  EXPECT_EQ(CaptureOptionsText(options), "");
}

// A program that creates a timeline in its first run and hardware counters in its second run, in
// which it also runs `second`.
std::string RecordedTwice(const std::string& second = "", const std::string& counters = "") {
  const std::string folder = SourcePath("tests/data/capture/");
  return "case \"$WARPSIGHT_OPTIONS\" in *counters*) cp '" +
         (counters.empty() ? folder + "training_counters.wscap" : counters) +
         "' \"$WARPSIGHT_CAPTURE/2.wscap\"; " + second + ";; *) cp '" + folder +
         "training.wscap' \"$WARPSIGHT_CAPTURE/1.wscap\";; esac; ";
}

std::string MeasuredKernels(const std::string& profile) {
  const std::string sql =
      "SELECT short_name, tensor_cores FROM kernel_classes WHERE tensor_cores_measured "
      "ORDER BY ALL";
  return RunWarpsight({"query", profile, sql, "--format", "csv"}).output;
}

TEST_F(ProfileTest, WithCountersTheProgramRunsTwice) {
  const ProgramRun run = ProfileShell(
      RecordedTwice() + "echo out; echo err >&2; echo \"$WARPSIGHT_OPTIONS|$WARPSIGHT_RUN\" >>'" +
          folder_.Path("runs") + "'",
      {"--counters", "--steps", "2:4", "--stacks"});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(run.output, "out\n") << "once";
  EXPECT_EQ(CountOf(run.errors, "err\n"), 1U) << run.errors;
  EXPECT_THAT(run.errors, HasSubstr("the program runs twice: first for the timeline, then"));
  EXPECT_THAT(run.errors,
              HasSubstr("hardware counters were read for 9 launches of 3 kernels\n"
                        "warpsight: counters: CUDA graphs were launched, of whose kernels no"));
  EXPECT_THAT(run.errors, HasSubstr("(measured) of the kernel time in eligible ops uses them"));
  EXPECT_THAT(Left(), ElementsAre("run.warpsight"));
  EXPECT_EQ(MeasuredKernels(Output()),
            "short_name,tensor_cores\nnvjet_sm90_tst_64x64_64x16_4x1_v_bz_NNT,true\n"
            "nvjet_sm90_tst_64x64_64x16_4x1_v_bz_TNT,true\nvectorized_elementwise_kernel,false\n");
  // One run is used for all checks of the files.
  const std::string runs = ReadFile(folder_.Path("runs"));
  const size_t second = runs.find("counters,steps=2:4|");
  ASSERT_NE(second, std::string::npos) << runs;
  EXPECT_THAT(runs, StartsWith("shapes,stacks,steps=2:4|"));
  EXPECT_EQ(runs.substr(runs.find('|'), 17), runs.substr(runs.find('|', second), 17));
}

TEST_F(ProfileTest, ASecondRunThatFailsKeepsTheTimeline) {
  const ProgramRun failed =
      ProfileShell(RecordedTwice("echo quiet; echo 'it broke' >&2; exit 3"), {"--counters"});
  EXPECT_EQ(failed.exit_code, 0);
  EXPECT_EQ(failed.output, "");
  EXPECT_THAT(
      failed.errors,
      HasSubstr("the second run, for hardware counters, ended with exit "
                "code 3; the counters read are used. End of its output:\n  quiet\n  it broke\n"));
  EXPECT_THAT(failed.errors, HasSubstr("hardware counters were read for 9 launches"));

  const ProgramRun nothing =
      ProfileShell(RecordedTwice("rm \"$WARPSIGHT_CAPTURE/2.wscap\""), {"--counters"});
  EXPECT_EQ(nothing.exit_code, 0);
  EXPECT_THAT(nothing.errors, HasSubstr("hardware counters were not read: the second run launched "
                                        "no kernel\n"));
  EXPECT_THAT(Left(), ElementsAre("run.warpsight"));
}

TEST_F(ProfileTest, AFirstRunThatFailsIsTheOnlyOne) {
  const ProgramRun run = ProfileShell(
      RecordedTwice() + "echo ran >>'" + folder_.Path("runs") + "'; exit 4", {"--counters"});
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_EQ(ReadFile(folder_.Path("runs")), "ran\n");
  EXPECT_THAT(run.errors,
              HasSubstr("the program ended with exit code 4\n"
                        "warpsight: skipping the second run because the first one failed"));
  EXPECT_THAT(Left(), ElementsAre("run.warpsight"));
}

TEST_F(ProfileTest, TheReasonForMissingCountersIsReported) {
  importers::capture::TestCapture file(4100, 0x5eed);
  file.Fact("mode", "counters");
  file.Add(wire::GapRecord{900, 0, 0, -1,
                           file.Text("hardware counters were not read: reading them needs the "
                                     "driver option NVreg_RestrictProfilingToAdminUsers=0")});
  std::ofstream(folder_.Path("refused.wscap"), std::ios::binary) << file.Bytes();
  const std::string script = RecordedTwice("", folder_.Path("refused.wscap"));
  const ProgramRun run = ProfileShell(script, {"--counters"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.errors, ::testing::EndsWith("warpsight: hardware counters were not read: reading "
                                              "them needs the driver option "
                                              "NVreg_RestrictProfilingToAdminUsers=0\n"));
  EXPECT_EQ(MeasuredKernels(Output()), "short_name,tensor_cores\n");
  // It is an error, so a quiet run prints it, too, and prints nothing else.
  const ProgramRun quiet = ProfileShell(script, {"--counters", "--quiet"});
  EXPECT_THAT(quiet.errors, StartsWith("warpsight: hardware counters were not read: "));
}

TEST_F(ProfileTest, TheSecondRunReadsTheSameInput) {
  const std::string script = RecordedTwice() + "cat >>'" + folder_.Path("read") + "'; echo . >>'" +
                             folder_.Path("read") + "'";
  std::ofstream(folder_.Path("input")) << "first\nsecond\n";
  // Like after a shell's `read`: the program gets the rest of the input, and so do later readers.
  const std::string command = "{ read line; '" WARPSIGHT_PROGRAM "' profile -q --counters -o '" +
                              Output() + "' -- sh -c \"$0\"; cat; } <'" + folder_.Path("input") +
                              "' >'" + folder_.Path("left") + "'";
  const std::string quoted = "sh -c " + ShellQuoted(command) + " " + ShellQuoted(script);
  EXPECT_EQ(std::system(quoted.c_str()), 0);
  EXPECT_EQ(ReadFile(folder_.Path("read")), "second\n.\nsecond\n.\n");
  EXPECT_EQ(ReadFile(folder_.Path("left")), "");

  fs::remove(folder_.Path("read"));
  const std::string piped = "echo once | '" WARPSIGHT_PROGRAM "' profile --counters -o '" +
                            Output() + "' -- sh -c " + ShellQuoted(script) + " 2>'" +
                            folder_.Path("said") + "'";
  EXPECT_EQ(std::system(piped.c_str()), 0);
  EXPECT_EQ(ReadFile(folder_.Path("read")), "once\n.\n.\n");
  EXPECT_THAT(ReadFile(folder_.Path("said")),
              HasSubstr("its input is empty, because the input of the first run was a pipe"));
}

// With the real agent if it was built; neither a GPU nor PyTorch is needed.
TEST_F(ProfileTest, MarksOfAPythonProgramAreRecorded) {
  unsetenv("WARPSIGHT_AGENT");
  const std::vector<Importer> importers = AllImporters();
  const bool readable = std::any_of(importers.begin(), importers.end(),
                                    [](const Importer& i) { return i.name == "capture"; });
  if (!readable || !fs::exists(WARPSIGHT_BUILD_DIR "/lib/libwarpsight_agent.so")) {
    GTEST_SKIP() << "the agent is not built with sanitizers, or its files cannot be read";
  }
  const ProgramRun run = Profile({}, {"python3", "-c",
                                      "import os, signal, warpsight\n"
                                      "for _ in range(3):\n"
                                      "  warpsight.step()\n"
                                      "  with warpsight.annotate('forward'): pass\n"
                                      "os._exit(6)"});
  EXPECT_EQ(run.exit_code, 6) << run.errors;
  EXPECT_THAT(Left(), ElementsAre("run.warpsight")) << run.errors;
  const std::string sql =
      "SELECT text, count(*) AS n FROM host_ranges JOIN strings ON strings.id = name_id "
      "GROUP BY text ORDER BY text";
  const ProgramRun names = RunWarpsight({"query", Output(), sql, "--format", "csv"});
  EXPECT_EQ(names.output,
            "text,n\nProfilerStep#0,1\nProfilerStep#1,1\nProfilerStep#2,1\nforward,3\n")
      << names.errors;
}

RunningProgram::Options OnTerminal() { return {.terminal = true}; }
RunningProgram::Options InPipe() {
  return {.output = RunningProgram::Stream::kPiped,
          .errors = RunningProgram::Stream::kPiped,
          .own_group = true};
}

// Counts received signals, and ends on request.
constexpr const char* kCounting =
    "trap 'echo got-INT' INT; trap 'echo got-HUP' HUP; trap 'echo got-QUIT' QUIT;"
    "trap 'echo got-TERM; exit 5' TERM; echo ready; while :; do sleep 0.02; done";

TEST_F(ProfileTest, CtrlCReachesTheProgramOnce) {
  RunningProgram run(Command({}, {"sh", "-c", kCounting}), OnTerminal());
  ASSERT_TRUE(run.WaitFor("ready"));
  for (size_t times = 1; times <= 2; ++times) {
    run.Type('\x03');
    ASSERT_TRUE(run.WaitFor("got-INT", times)) << run.printed();
  }
  run.Type('\x1c');  // Ctrl-backslash
  ASSERT_TRUE(run.WaitFor("got-QUIT")) << run.printed();
  run.Send(SIGTERM);
  EXPECT_EQ(run.Wait(), 5) << run.printed();
  EXPECT_EQ(CountOf(run.printed(), "got-INT"), 2U) << run.printed();
  EXPECT_EQ(CountOf(run.printed(), "got-QUIT"), 1U) << run.printed();
}

TEST_F(ProfileTest, SignalsToWarpsightArePassedOnOnce) {
  RunningProgram run(Command({}, {"sh", "-c", kCounting}), InPipe());
  ASSERT_TRUE(run.WaitFor("ready"));
  run.Send(SIGINT);
  ASSERT_TRUE(run.WaitFor("got-INT")) << run.printed();
  run.Send(SIGHUP);
  ASSERT_TRUE(run.WaitFor("got-HUP")) << run.printed();
  run.Send(SIGTERM);
  EXPECT_EQ(run.Wait(), 5) << run.printed();
  for (const char* signal : {"got-INT", "got-HUP", "got-TERM"}) {
    EXPECT_EQ(CountOf(run.printed(), signal), 1U) << run.printed();
  }
}

TEST_F(ProfileTest, TheSecondCtrlCLeavesAProgramThatIgnoresIt) {
  const std::string program = Recorded("trap '' INT; echo ready; sleep 30");
  RunningProgram run(Command({}, {"sh", "-c", program}), OnTerminal());
  ASSERT_TRUE(run.WaitFor("ready"));
  run.Type('\x03');
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(run.printed().find("still running"), std::string::npos) << run.printed();
  const auto begin = std::chrono::steady_clock::now();
  run.Type('\x03');
  EXPECT_EQ(run.Wait(), 128 + SIGINT) << run.printed();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(1500));
  EXPECT_THAT(run.printed(), HasSubstr("the program ignores SIGINT and is still running; the "
                                       "recording was kept: warpsight import "));
  EXPECT_THAT(Left(), ElementsAre("run.capture"));
}

TEST_F(ProfileTest, CtrlCEndsTheProgramAndStillYieldsTheProfile) {
  // Ends by the signal, whatever the shell is doing at that time.
  const std::string program =
      Recorded("trap 'trap - INT; kill -INT $$' INT; echo ready; while :; do sleep 0.02; done");
  RunningProgram run(Command({}, {"sh", "-c", program}), OnTerminal());
  ASSERT_TRUE(run.WaitFor("ready"));
  run.Type('\x03');
  EXPECT_EQ(run.Wait(), 128 + SIGINT) << run.printed();
  EXPECT_THAT(run.printed(), HasSubstr("the program was killed by SIGINT"));
  EXPECT_THAT(run.printed(), HasSubstr("NVIDIA H200"));
  EXPECT_THAT(Left(), ElementsAre("run.warpsight"));
}

TEST_F(ProfileTest, CtrlCInTheSecondRunKeepsTheTimelineAndTheCounters) {
  const std::string ready = folder_.Path("ready");
  const std::string program = RecordedTwice("trap 'trap - INT; kill -INT $$' INT; : >'" + ready +
                                            "'; while :; do sleep 0.02; done");
  RunningProgram run(Command({"--counters"}, {"sh", "-c", program}), OnTerminal());
  ASSERT_TRUE(run.WaitFor("starting the second run"));
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!fs::exists(ready) && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  run.Type('\x03');
  EXPECT_EQ(run.Wait(), 0) << run.printed();
  EXPECT_THAT(run.printed(), HasSubstr("the second run was interrupted"));
  EXPECT_THAT(run.printed(), HasSubstr("hardware counters were read for 9 launches"));
  EXPECT_THAT(Left(), ElementsAre("run.warpsight"));
}

// The number of bytes that a process has read from files and pipes.
int64_t BytesRead(pid_t pid) {
  std::ifstream counts("/proc/" + std::to_string(pid) + "/io");
  std::string name;
  int64_t bytes = 0;
  return counts >> name >> bytes && name == "rchar:" ? bytes : 0;
}

TEST_F(ProfileTest, CtrlCDuringTheImportKeepsTheRecording) {
  // Different traces of half a gigabyte in total, so that reading takes a second or more.
  const std::string script = "i=0; while [ $i -lt 40 ]; do zcat '" + BundledTracePath("gpt2_bf16") +
                             "' | sed \"s/ProfilerStep#/ProfilerStep#$i/\" > " +
                             "\"$WARPSIGHT_CAPTURE/$i.wscap\"; i=$((i+1)); done; exec echo over";
  RunningProgram run(Command({}, {"sh", "-c", script}), InPipe());
  ASSERT_TRUE(run.WaitFor("over\n"));
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (BytesRead(run.pid()) < 20'000'000 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  run.Send(SIGINT);
  EXPECT_EQ(run.Wait(), 128 + SIGINT) << run.printed();
  EXPECT_THAT(run.printed(), HasSubstr("the recording was kept: warpsight import "));
  EXPECT_THAT(Left(), ElementsAre("run.capture"));
}

// The masks in /proc/PID/status, without the signals 32 and 33, which the C library uses itself: a
// process with threads handles them, whatever the masks were before.
std::vector<std::string> SignalMasks(const std::string& file) {
  std::vector<std::string> masks;
  std::ifstream lines(file);
  std::string name;
  std::string mask;
  while (lines >> name >> mask) {
    masks.push_back(name + std::to_string(std::stoull(mask, nullptr, 16) & ~0x1'8000'0000ULL));
  }
  return masks;
}

TEST_F(ProfileTest, TheProgramsSignalsAreUnchanged) {
  const std::string script = "grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status";
  const std::string plain = folder_.Path("plain");
  EXPECT_EQ(std::system(("trap '' HUP; " + script + " >" + plain).c_str()), 0);
  const std::string command = "trap '' HUP; '" WARPSIGHT_PROGRAM "' profile -q -o '" + Output() +
                              "' -- " + script + " >" + folder_.Path("ours") + " 2>/dev/null";
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(SignalMasks(plain).size(), 3u);
  EXPECT_EQ(SignalMasks(folder_.Path("ours")), SignalMasks(plain));
}

}  // namespace
}  // namespace warpsight::testing
